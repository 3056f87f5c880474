"""The report: on the terminal, as Markdown, and as one HTML file with its plots inside."""
