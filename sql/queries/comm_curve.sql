-- The phases at which the pattern of communication changes most.
--
-- Needs: links.
SELECT
    phase,
    start_time,
    difference,
    height
FROM comm_curve(phases => 5)
ORDER BY difference DESC NULLS LAST, phase
LIMIT 5
