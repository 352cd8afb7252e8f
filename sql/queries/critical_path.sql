-- What determines the end: the share of computation, transfers and unexplained waits in the critical path, by container.
-- States are those of the type with most communication and waiting: states that overlap make no path.
--
-- Needs: states.
SELECT
    kind,
    container,
    value,
    count(*) AS steps,
    sum(seconds) AS seconds,
    sum(seconds) / (SELECT end_time - start_time FROM trace_info) AS share
FROM critical_path(
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
    )
)
GROUP BY kind, container_id, container, value
ORDER BY share DESC, container_id, kind, value
