-- The whole trace on a screen of 40 columns: what each container does most in each of them, and how surely.
--
-- Needs: states.
SELECT
    container_id,
    container,
    first_column,
    last_column,
    value,
    share,
    states
FROM timeline(width => 40)
ORDER BY container_id, first_column, value
