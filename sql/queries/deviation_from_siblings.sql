-- How far each container is from the mean of those of its type and depth, in every half of the run: its worst state first.
--
-- With among = 'siblings', from the mean of those of its parent. Needs: states.
WITH parameters AS (
    SELECT 'type and depth' AS among
),
cells AS (
    SELECT
        s.slice,
        s.container_id,
        s.container,
        s.value,
        s.seconds,
        avg(s.seconds) OVER (
            PARTITION BY
                s.slice,
                s.type,
                s.value,
                c.type,
                c.depth,
                CASE WHEN p.among = 'siblings' THEN c.parent_id END
        ) AS mean_seconds
    FROM state_slices(state_segments, slices => 2, fill => true) AS s
    JOIN containers AS c
        ON c.container_id = s.container_id
    CROSS JOIN parameters AS p
)
SELECT
    slice,
    container_id,
    container,
    value,
    seconds,
    mean_seconds,
    seconds - mean_seconds AS deviation
FROM cells
ORDER BY abs(seconds - mean_seconds) DESC, slice, container_id, value
LIMIT 10
