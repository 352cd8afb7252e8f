-- The whole trace in one row where it has no states: how many events, links and values of variables begin, in columns.
-- What begins at the very end is in the last one.
SELECT
    coalesce(slice_of(start_time, :start, :stop, :width), :width - 1) AS slice, kind AS value,
    CAST(count(*) AS DOUBLE) AS happenings
FROM (
    SELECT time AS start_time, 'events' AS kind FROM events
    UNION ALL
    SELECT start_time, 'links' FROM links
    UNION ALL
    SELECT start_time, 'variables' FROM variables
)
WHERE start_time >= :start AND start_time <= :stop
GROUP BY 1, 2
ORDER BY 1, 2
