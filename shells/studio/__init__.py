"""The studio: the web page over the HTTP API."""
