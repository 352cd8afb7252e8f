-- The variables that vary most around their mean.
--
-- Needs: variables.
SELECT
    container_id,
    container,
    type,
    mean,
    standard_deviation,
    standard_deviation / nullif(abs(mean), 0) AS variation
FROM variable_statistics
ORDER BY variation DESC, container_id, type
