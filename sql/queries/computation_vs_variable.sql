-- Seconds of computation for each watt: choose another variable for another efficiency.
SELECT
    container,
    mean AS mean_power,
    computation_seconds,
    seconds_per_value AS seconds_per_watt
FROM computation_vs_variable
WHERE variable = 'power'
ORDER BY seconds_per_watt DESC, container
