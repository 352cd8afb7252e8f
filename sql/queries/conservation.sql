-- Whether the trace adds up: rules that do not hold come first.
SELECT
    rule,
    type,
    expected,
    found,
    difference,
    holds
FROM conservation
ORDER BY holds, rule, type
