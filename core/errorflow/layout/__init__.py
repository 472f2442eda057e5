"""Layout of graphs as plain arrays: `drawing` says what comes out, `engine.layout` makes it. No Qt."""
