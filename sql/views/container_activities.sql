-- How long each container did what: computation, communication, waiting and so on, time in no state included.
--
-- What a state is comes from state_activities, what time in no state is from no_state_activities. The time is exclusive: that
-- of the innermost state. For each container and type of states that it has, the rows add up to the life of the
-- container, exactly in ticks. Types of states are told apart: two types of one container are two views of the same time,
-- and must not be added up. Activities that take no time have no row; containers without states have none either.
--
-- Columns:
--   container_id      INTEGER  The container.
--   container         TEXT     Name of the container.
--   type              TEXT     Type of the states.
--   activity          TEXT     What it did.
--   seconds           DOUBLE   For how long in total.
--   no_state_seconds  DOUBLE   How much of that in no state.
--   share             DOUBLE   Seconds / life of the container.
--   ticks             BIGINT   Seconds as stored.
--
-- Example:
--   SELECT container, activity, seconds, no_state_seconds, share
--   FROM container_activities
--   ORDER BY container_id, activity

WITH totals AS (
    SELECT
        container_id,
        type,
        value,
        sum(end_tick - start_tick) AS ticks
    FROM state_segments
    GROUP BY container_id, type, value
),
in_states AS (
    SELECT
        totals.container_id,
        totals.type,
        names.activity,
        sum(totals.ticks) AS ticks
    FROM totals
    JOIN state_activities AS names
        ON names.type = totals.type
        AND names.value = totals.value
    GROUP BY totals.container_id, totals.type, names.activity
),
numbered AS (
    SELECT
        in_states.container_id,
        in_states.type,
        in_states.activity,
        in_states.ticks,
        gaps.activity AS no_state_activity,
        containers.end_tick - containers.start_tick AS life_ticks,
        sum(in_states.ticks) OVER (PARTITION BY in_states.container_id, in_states.type) AS state_ticks,
        row_number() OVER (PARTITION BY in_states.container_id, in_states.type ORDER BY in_states.activity) AS place
    FROM in_states
    JOIN containers
        ON containers.container_id = in_states.container_id
    JOIN no_state_activities AS gaps
        ON gaps.type = in_states.type
),
-- The first row of a container and type also stands for its time in no state.
kinds AS (
    SELECT column1 AS kind FROM (VALUES ('state'), ('no state'))
),
parts AS (
    SELECT
        numbered.container_id,
        numbered.type,
        numbered.life_ticks,
        CASE WHEN kinds.kind = 'state' THEN numbered.activity ELSE numbered.no_state_activity END AS activity,
        CASE WHEN kinds.kind = 'state' THEN numbered.ticks ELSE 0 END AS state_ticks,
        CASE WHEN kinds.kind = 'state' THEN 0 ELSE numbered.life_ticks - numbered.state_ticks END AS no_state_ticks
    FROM kinds
    JOIN numbered
        ON kinds.kind = 'state' OR numbered.place = 1
),
sums AS (
    SELECT
        container_id,
        type,
        activity,
        max(life_ticks) AS life_ticks,
        sum(state_ticks + no_state_ticks) AS ticks,
        sum(no_state_ticks) AS no_state_ticks
    FROM parts
    GROUP BY container_id, type, activity
)
SELECT
    sums.container_id,
    containers.name AS container,
    sums.type,
    sums.activity,
    tick_seconds(sums.ticks, (SELECT ticks_per_second FROM trace_info)) AS seconds,
    tick_seconds(sums.no_state_ticks, (SELECT ticks_per_second FROM trace_info)) AS no_state_seconds,
    CAST(sums.ticks AS DOUBLE) / nullif(sums.life_ticks, 0) AS share,
    sums.ticks
FROM sums
JOIN containers
    ON containers.container_id = sums.container_id
WHERE sums.ticks <> 0
