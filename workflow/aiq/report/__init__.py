"""What is shown of results: tables on the screen, figures and tables of a run, its page."""
