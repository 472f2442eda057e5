"""Account of a case, chapter by chapter: one source of the words for the window, the page and the paper."""
