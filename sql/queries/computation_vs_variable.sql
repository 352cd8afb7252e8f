-- Seconds of computation for each unit of a variable, such as watts: of the variable that most containers have.
--
-- Needs: states and variables of one container.
WITH parameters AS (
    SELECT variable
    FROM computation_vs_variable
    GROUP BY variable
    ORDER BY count(*) DESC, variable
    LIMIT 1
)
SELECT
    container,
    variable,
    mean,
    computation_seconds,
    seconds_per_value
FROM computation_vs_variable
WHERE variable = (SELECT variable FROM parameters)
ORDER BY seconds_per_value DESC, container
