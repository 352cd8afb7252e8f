-- How many events happened in each second of wall-clock time.
--
-- Needs: events.
SELECT
    date_trunc('second', happened_at) AS second,
    type,
    count(*) AS events
FROM dated_events
GROUP BY 1, 2
ORDER BY 1, 2
