-- What changed when
-- The share of each activity in the periods of the best partition of time, beside that in the period before. Time in no state
-- counts as in container_activities, and the containers are those that count in the efficiency. :type is the type of states.
WITH carriers AS (
    SELECT
        known.container_id,
        gaps.activity
    FROM (
        SELECT container_id
        FROM container_activities
        WHERE type = :type
        GROUP BY container_id
        HAVING count(*) FILTER (WHERE activity <> 'unknown') > 0
    ) AS known
    CROSS JOIN no_state_activities AS gaps
    WHERE gaps.type = :type
),
in_states AS (
    SELECT
        cells.slice,
        cells.container_id,
        names.activity,
        cells.share
    FROM state_slices((SELECT * FROM state_segments WHERE type = :type), slices => 30) AS cells
    JOIN carriers
        ON carriers.container_id = cells.container_id
    JOIN state_activities AS names
        ON names.type = cells.type
        AND names.value = cells.value
),
lives AS (
    SELECT
        slice,
        container_id,
        share
    FROM state_slices(
        (
            SELECT
                containers.container_id,
                containers.start_time,
                containers.end_time,
                containers.start_tick,
                containers.end_tick
            FROM containers
            JOIN carriers
                ON carriers.container_id = containers.container_id
        ),
        slices => 30
    )
),
-- Time in no state is life less the time in states; what is left of two equal times is none.
parts AS (
    SELECT slice, container_id, activity, share
    FROM in_states
    UNION ALL
    SELECT lives.slice, lives.container_id, carriers.activity, lives.share
    FROM lives
    JOIN carriers
        ON carriers.container_id = lives.container_id
    UNION ALL
    SELECT in_states.slice, in_states.container_id, carriers.activity, -in_states.share
    FROM in_states
    JOIN carriers
        ON carriers.container_id = in_states.container_id
),
cells AS (
    SELECT
        slice,
        container_id,
        activity,
        sum(share) AS share
    FROM parts
    GROUP BY slice, container_id, activity
    HAVING sum(share) > 1e-9
),
periods AS (
    SELECT
        area AS period,
        first_slice,
        last_slice,
        start_time
    FROM temporal_partition(
        (SELECT container_id, slice, activity AS value, share AS rho FROM cells),
        slices => 30,
        p => 0.2
    )
),
known AS (
    SELECT DISTINCT activity
    FROM cells
),
mix AS (
    SELECT
        periods.period,
        periods.start_time,
        known.activity,
        coalesce(sum(cells.share), 0)
            / (max(periods.last_slice - periods.first_slice + 1) * (SELECT count(*) FROM carriers)) AS share
    FROM periods
    CROSS JOIN known
    LEFT JOIN cells
        ON cells.activity = known.activity
        AND cells.slice BETWEEN periods.first_slice AND periods.last_slice
    GROUP BY periods.period, periods.start_time, known.activity
)
SELECT
    period,
    start_time,
    activity,
    lag(share) OVER (PARTITION BY activity ORDER BY period) AS share_before,
    share
FROM mix
ORDER BY period, activity
