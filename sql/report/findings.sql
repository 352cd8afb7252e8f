-- Findings
-- What is wrong, the most severe first. Severity is the part of the time of all containers that would be recovered; evidence is a query that proves it.
SELECT rank, kind, title, severity, container, start_time, end_time, confidence, evidence
FROM findings()
ORDER BY rank
