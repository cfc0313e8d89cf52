"""Which files a repository holds, and which are left out and why."""
