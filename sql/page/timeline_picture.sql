-- What the timeline paints of its rows: the pixels of values in columns. What a row holds in exact times is asked for where
-- the pointer or the cursor is.
SELECT level, container_id, type, first_column, further_columns, value, pixels
FROM (
:rows
) AS rows
WHERE pixels > 0
