-- What changed when
-- The share of each state in the periods of the best partition of time, beside that in the period before.
WITH periods AS (
    SELECT
        area AS period,
        first_slice,
        last_slice,
        start_time
    FROM temporal_partition(slices => 30, p => 0.5)
),
carriers AS (
    SELECT count(DISTINCT container_id) AS containers
    FROM state_segments
),
cells AS (
    SELECT
        slice,
        value,
        sum(share) AS share
    FROM state_slices(state_segments, slices => 30)
    GROUP BY slice, value
),
known AS (
    SELECT DISTINCT value
    FROM cells
),
mix AS (
    SELECT
        periods.period,
        periods.start_time,
        known.value,
        coalesce(sum(cells.share), 0)
            / (max(periods.last_slice - periods.first_slice + 1) * max(carriers.containers)) AS share
    FROM periods
    CROSS JOIN known
    CROSS JOIN carriers
    LEFT JOIN cells
        ON cells.value = known.value
        AND cells.slice BETWEEN periods.first_slice AND periods.last_slice
    GROUP BY periods.period, periods.start_time, known.value
)
SELECT
    period,
    start_time,
    value,
    lag(share) OVER (PARTITION BY value ORDER BY period) AS share_before,
    share
FROM mix
ORDER BY period, value
