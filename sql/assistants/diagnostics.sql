-- What was wrong with the trace, the worst first.
SELECT severity, code, occurrences, line, byte, message
FROM diagnostics
ORDER BY CASE severity WHEN 'error' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, occurrences DESC, code
