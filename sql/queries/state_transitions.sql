-- What usually comes after each state: its most frequent successor.
--
-- Needs: states.
WITH ranked AS (
    SELECT
        type,
        from_value,
        to_value,
        transitions,
        share,
        row_number() OVER (PARTITION BY type, from_value ORDER BY transitions DESC, to_value) AS place
    FROM state_transitions
)
SELECT
    type,
    from_value,
    to_value,
    transitions,
    share
FROM ranked
WHERE place = 1
ORDER BY type, from_value
