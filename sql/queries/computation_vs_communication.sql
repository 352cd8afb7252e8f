-- Who communicates most for what it computes.
--
-- Needs: states.
SELECT
    container,
    computation_seconds,
    communication_seconds + waiting_seconds AS communication_seconds,
    ratio
FROM computation_vs_communication
ORDER BY ratio, container
LIMIT 10
