-- What if the network took no time: when each container would end, and how much of its time in states it would not spend.
-- States are those of the type with most communication and waiting, so that no time is counted twice.
--
-- Needs: states.
SELECT
    container,
    max(old_end_time) AS measured_end,
    max(end_time) AS ideal_end,
    sum(old_end_time - old_start_time - duration) AS saved_seconds
FROM replay(
    (
        SELECT *
        FROM state_segments
        WHERE type = (
            SELECT type
            FROM container_activities
            GROUP BY type
            ORDER BY
                sum(ticks) FILTER (WHERE activity IN ('communication', 'waiting')) DESC NULLS LAST,
                sum(ticks) DESC,
                type
            LIMIT 1
        )
    ),
    network => 'ideal'
)
WHERE kind = 'state'
GROUP BY container_id, container
ORDER BY container_id
