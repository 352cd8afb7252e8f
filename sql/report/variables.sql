-- Variables
-- Mean and extremes of every variable, weighted by time.
SELECT container, type, changes, mean, minimum, maximum, integral
FROM variable_statistics
ORDER BY container_id, type
