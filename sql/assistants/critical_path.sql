-- What determines the end of the window from $1 to $2: the critical path by kind, container and state. States are those of the
-- type with most communication and waiting: states that overlap make no path.
SELECT
    kind,
    container,
    value,
    count(*) AS steps,
    sum(seconds) AS seconds,
    sum(share) AS share
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
    ),
    start => $1,
    stop => $2
)
GROUP BY kind, container_id, container, value
ORDER BY share DESC, container_id, kind, value
