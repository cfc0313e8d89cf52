"""The pipeline that made the shipped weights; see README.md here. Never imported at run time."""
