var e=[`-- The trace: its window, and how long a tick is.
SELECT name, format, start_time, end_time, ticks_per_second, containers, states, events, variables, links, diagnostics
FROM trace_info
`,`-- The tree of containers, in the order of a walk through it.
SELECT container_id, parent_id, name, type, path, depth, is_leaf, leaves, preorder, last_descendant, start_time, end_time
FROM containers
ORDER BY preorder
`,`-- What each container has: types of states, with how deep they are nested, of events and of variables.
SELECT 'state' AS kind, container_id, type, count(*) AS entities, max(depth) AS deepest
FROM states
GROUP BY container_id, type
UNION ALL
SELECT 'event' AS kind, container_id, type, count(*) AS entities, 0 AS deepest
FROM events
GROUP BY container_id, type
UNION ALL
SELECT 'variable' AS kind, container_id, type, count(*) AS entities, 0 AS deepest
FROM variables
GROUP BY container_id, type
ORDER BY container_id, kind DESC, type
`,`-- The values that states, events and links have, with the color that the trace gives them and the time in states.
SELECT
    entity_values.name,
    entity_values.type,
    color,
    CAST(coalesce(ticks, 0) AS DOUBLE) AS ticks
FROM entity_values
LEFT JOIN (
    SELECT value, sum(end_tick - start_tick) AS ticks
    FROM state_segments
    GROUP BY value
) AS times ON times.value = entity_values.name
ORDER BY entity_values.name, entity_values.type
`].map(e=>e.trim()),t={"content-type":`text/plain`,accept:`application/vnd.apache.arrow.stream`,"x-ocellus-text":`dictionary`};function n(e){let t=new URLSearchParams(e.replace(/^#/,``));return t.get(`v`)===`1`?t.get(`trace`):null}function r(){return`page-${crypto.getRandomValues(new Uint32Array(2)).join(`-`)}`}function i(e,t,n){return fetch(`sql?trace=${encodeURIComponent(t)}`,{method:`POST`,body:e,credentials:`same-origin`,...n})}var a=new Map;function o(e,t){return`${t}\n${e}`}function s(e,t,n){let r=new AbortController,i=n(r.signal);i.catch(()=>null),a.set(e,{answer:i,name:t,controller:r})}function c(e,n){let a=r();s(o(e,n),a,r=>i(e,n,{headers:{...t,"x-ocellus-query":a},signal:r}))}function l(e){return a.get(e)??null}function u(e){let t=l(e);return a.delete(e),t}function d(){for(let{controller:e}of a.values())e.abort();a.clear()}var f=`traces`,p=n(location.hash);if(p!==null)for(let t of e)c(t,p);s(f,``,e=>fetch(f,{credentials:`same-origin`,signal:e}));export{t as ROWS,f as TRACES,e as TRACE_SQL,i as ask,c as askEarly,d as dropEarly,l as findEarly,o as keyOf,r as newName,u as takeEarly,n as traceOfAddress};