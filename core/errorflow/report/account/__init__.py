"""What a case comes to, chapter by chapter: one source of the words for the window, the page and the paper."""
