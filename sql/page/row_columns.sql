-- The columns of the user's own statement.
SELECT *
FROM (
:rows
) AS rows
LIMIT 0
