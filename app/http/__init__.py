"""The HTTP server: the application around the API, the page and its sign-in form, processes."""
