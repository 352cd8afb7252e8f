(()=>{var e=[`-- The trace: its window, and how long a tick is.
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
`].map(e=>e.trim()),t={"content-type":`text/plain`,accept:`application/vnd.apache.arrow.stream`,"x-ocellus-text":`dictionary`},n=`1`;function r(e){let t=new URLSearchParams(e.replace(/^#/,``));return t.get(`v`)===n?t.get(`trace`):null}function i(){return`page-${crypto.getRandomValues(new Uint32Array(2)).join(`-`)}`}function a(e,t,n){return fetch(`sql?trace=${encodeURIComponent(t)}`,{method:`POST`,body:e,credentials:`same-origin`,...n})}var o=new Map;function s(e,t){return`${t}\n${e}`}function c(e,t,n){let r=new AbortController,i=n(r.signal);i.catch(()=>null),o.get(e)?.controller.abort(),o.set(e,{answer:i,name:t,controller:r})}function l(e,n){let r=i();c(s(e,n),r,i=>a(e,n,{headers:{...t,"x-ocellus-query":r},signal:i}))}function u(e){return o.get(e)??null}function d(e){let t=u(e);return o.delete(e),t}function f(){for(let{controller:e}of o.values())e.abort();o.clear()}var p=`traces`,m=r(location.hash);if(m!==null)for(let t of e)l(t,m);c(p,``,e=>fetch(p,{credentials:`same-origin`,signal:e})),globalThis.ocellus={TRACE_SQL:e,ROWS:t,VERSION:n,TRACES:p,traceOfAddress:r,newName:i,ask:a,keyOf:s,askEarly:l,findEarly:u,takeEarly:d,dropEarly:f}})();