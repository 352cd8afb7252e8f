-- How much time in computation there is for what a variable says: efficiency, with one of CPU utilization.
--
-- One of the combinations of Schnorr's thesis, table 4.1: time over value. Choose the variable with
-- WHERE variable = '…'. The time is that of the container that has the variable, and of all below it:
-- a host has the utilization, and its processes have the states.
--
-- container_id         the container that has the variable
-- container            name of it
-- variable             type of the variable
-- mean                 mean of the variable over time
-- computation_seconds  time in states of computation (see state_activities), of it and of all below
-- seconds_per_value    computation_seconds / mean; NULL when the mean is 0 or NULL
WITH computation AS (
    SELECT
        container_ancestors.ancestor_id AS container_id,
        sum(times.computation_seconds) AS seconds
    FROM computation_vs_communication AS times
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
