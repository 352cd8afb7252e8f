-- Which cycles of phases repeat, how often, and from when to when.
--
-- Needs: links.
SELECT
    section,
    period,
    repetitions,
    min(start_time) AS start_time,
    max(end_time) AS end_time
FROM comm_patterns(phases => 5)
GROUP BY section, period, repetitions
ORDER BY section
