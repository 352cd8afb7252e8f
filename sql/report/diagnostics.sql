-- What the reader noticed
-- By kind: how many lines, the first of them, and one of the messages.
SELECT severity, code, sum(occurrences) AS lines, min(line) AS first_line, min(message) AS message
FROM diagnostics
GROUP BY severity, code
ORDER BY severity, lines DESC, code
