"""What lies here and below is data, and scripts that record it: pytest must not import any."""

collect_ignore_glob = ["*.py"]
