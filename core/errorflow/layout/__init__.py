"""Where everything is drawn, as plain arrays: `drawing` says what comes out, `engine.layout` makes it. No Qt."""
