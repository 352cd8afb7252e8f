-- The whole trace on a screen of 40 columns: what each rank does most in each of them, and how surely.
SELECT
    container,
    first_column,
    last_column,
    value,
    share,
    states
FROM timeline(width => 40)
ORDER BY container, first_column
