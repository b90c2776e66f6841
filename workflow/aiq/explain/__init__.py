"""What moves the numbers of a finished run: variance, sensitivity, precision, and how runs differ."""
