-- What is wrong with the run, the most severe first, with the query that proves it.
--
-- Needs: states.
SELECT
    rank,
    kind,
    title,
    severity,
    container,
    start_time,
    end_time,
    evidence
FROM findings()
ORDER BY rank
