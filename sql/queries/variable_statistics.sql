-- The variables that move most around their mean.
SELECT
    container,
    type,
    mean,
    standard_deviation,
    standard_deviation / nullif(abs(mean), 0) AS variation
FROM variable_statistics
ORDER BY variation DESC, container, type
