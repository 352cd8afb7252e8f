-- How much time in computation there is for what a variable says: efficiency, with one of CPU utilization.
--
-- Made for a variable of CPU utilization, and there for all: choose one with WHERE variable = '…'. The mean is
-- weighted by time. Containers without computation below them have zero seconds. Of several types of states of one
-- container, the one with the most computation counts.
--
-- Columns:
--   container_id         INTEGER  The container that has the variable.
--   container            TEXT     Name of it.
--   variable             TEXT     Type of the variable.
--   mean                 DOUBLE   Mean of the variable over time.
--   computation_seconds  DOUBLE   Time of computation (see container_activities), of it and of all below.
--   seconds_per_value    DOUBLE   computation_seconds / mean; NULL when the mean is 0 or NULL.
--
-- Example:
--   SELECT container, variable, mean, computation_seconds, round(seconds_per_value, 6) AS seconds_per_value
--   FROM computation_vs_variable
--   ORDER BY container_id

-- One of the combinations of Schnorr's thesis, table 4.1: time over value. Choose the variable with
-- WHERE variable = '…'. The time is that of the container that has the variable, and of all below it:
-- a host has the utilization, and its processes have the states.
WITH times AS (
    SELECT
        container_id,
        max(seconds) AS seconds
    FROM container_activities
    WHERE activity = 'computation'
    GROUP BY container_id
),
computation AS (
    SELECT
        container_ancestors.ancestor_id AS container_id,
        sum(times.seconds) AS seconds
    FROM times
    JOIN container_ancestors
        ON container_ancestors.container_id = times.container_id
    GROUP BY container_ancestors.ancestor_id
)
SELECT
    variable_statistics.container_id,
    variable_statistics.container,
    variable_statistics.type AS variable,
    variable_statistics.mean,
    coalesce(computation.seconds, 0) AS computation_seconds,
    coalesce(computation.seconds, 0) / nullif(variable_statistics.mean, 0) AS seconds_per_value
FROM variable_statistics
LEFT JOIN computation
    ON computation.container_id = variable_statistics.container_id
