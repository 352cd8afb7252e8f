-- What values each variable had: one row per container and type, weighted by time.
--
-- Mean and standard deviation are weighted by time, over the time that the variable had a value. Both are NULL
-- when that is no time. Reads the variables twice, so that small deviations of large values are not lost.
-- variable_slices gives the same over time.
--
-- Columns:
--   container_id        INTEGER  The container.
--   container           TEXT     Name of the container.
--   type                TEXT     Type of the variable.
--   changes             BIGINT   How many intervals of constant value it had.
--   seconds             DOUBLE   How long it had a value.
--   mean                DOUBLE   Integral / seconds; NULL when it had a value for no time.
--   minimum             DOUBLE   The least value.
--   maximum             DOUBLE   The largest value.
--   standard_deviation  DOUBLE   How far it was from its mean, weighted by time; NULL as mean.
--   integral            DOUBLE   Value times seconds, added up.
--
-- Example:
--   SELECT container, type, changes, mean, minimum, maximum, integral
--   FROM variable_statistics
--   ORDER BY container_id, type
WITH means AS (
    SELECT
        container_id,
        container,
        type,
        count(*) AS changes,
        sum(end_tick - start_tick) AS ticks,
        sum(value * (end_tick - start_tick)) AS integral,
        sum(value * (end_tick - start_tick)) / nullif(sum(end_tick - start_tick), 0) AS mean,
        min(value) AS minimum,
        max(value) AS maximum
    FROM variables
    GROUP BY container_id, container, type
),
-- In a second pass: the difference of two large sums would lose a small deviation.
squares AS (
    SELECT
        variables.container_id,
        variables.type,
        sum(power(variables.value - means.mean, 2) * (variables.end_tick - variables.start_tick)) AS deviation
    FROM variables
    JOIN means
        ON means.container_id = variables.container_id
        AND means.type = variables.type
    GROUP BY variables.container_id, variables.type
)
SELECT
    means.container_id,
    means.container,
    means.type,
    means.changes,
    tick_seconds(means.ticks, (SELECT ticks_per_second FROM trace_info)) AS seconds,
    means.mean,
    means.minimum,
    means.maximum,
    sqrt(squares.deviation / nullif(means.ticks, 0)) AS standard_deviation,
    means.integral / (SELECT ticks_per_second FROM trace_info) AS integral
FROM means
JOIN squares
    ON squares.container_id = means.container_id
    AND squares.type = means.type
