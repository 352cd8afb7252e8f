// The editor of SQL, a chunk of its own: CodeMirror with the server's completion and errors underlined at their place.
import { autocompletion, completionKeymap, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { PostgreSQL, sql } from "@codemirror/lang-sql";
import { bracketMatching, defaultHighlightStyle, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { optional } from "../core/api";

export interface Editor {
  text(): string;
  setText(text: string): void;
  /** Underlines an error from a place (both from 1) to the end of the word; without a place, nothing. */
  mark(line: number | null, column: number | null, message: string): void;
  clear(): void;
  focus(): void;
}

export interface EditorOptions {
  text: string;
  nonce: string;
  trace: () => string;
  run: () => void;
  changed: (text: string) => void;
}

const colors = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--accent)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--number)" },
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
]);

const theme = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", backgroundColor: "var(--background)", color: "var(--ink)" },
  ".cm-content": { fontFamily: "var(--mono)", caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--quiet)", border: "none" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selection)" },
  ".cm-tooltip": { backgroundColor: "var(--background)", color: "var(--ink)", border: "1px solid var(--line)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--accent-ink)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--error)", textUnderlineOffset: "3px" },
});

/** What the server would complete; nothing where it does not say. */
function completion(trace: () => string) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const word = context.matchBefore(/[\w.]+/);
    if (!word && !context.explicit) return null;
    const parameters = new URLSearchParams({ sql: context.state.doc.toString(), position: String(context.pos), trace: trace() });
    const answer = await optional<{ start: number; candidates: string[] }>(`complete?${parameters}`).catch(() => null);
    if (!answer || answer.candidates.length === 0) return null;
    return { from: answer.start, options: answer.candidates.map((label) => ({ label })), filter: false };
  };
}

export function makeEditor(parent: HTMLElement, options: EditorOptions): Editor {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        EditorView.cspNonce.of(options.nonce),
        lineNumbers(), history(), bracketMatching(), placeholder("SELECT …   (Ctrl + Enter runs it)"),
        sql({ dialect: PostgreSQL, upperCaseKeywords: true }),
        autocompletion({ override: [completion(options.trace)] }),
        syntaxHighlighting(colors), syntaxHighlighting(defaultHighlightStyle, { fallback: true }),
        keymap.of([{ key: "Mod-Enter", run: () => (options.run(), true) }, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
        EditorView.updateListener.of((update) => update.docChanged && options.changed(update.state.doc.toString())),
        EditorView.contentAttributes.of({ "aria-label": "SQL" }),
        EditorView.lineWrapping, theme,
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    setText: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    mark: (line, column, message) => {
      if (line === null || line < 1 || line > view.state.doc.lines) return;
      const at = view.state.doc.line(line);
      const from = Math.min(at.to, at.from + Math.max(0, (column ?? 1) - 1));
      const word = /^[\w.]+|^\S/.exec(view.state.doc.sliceString(from, at.to));
      view.dispatch(setDiagnostics(view.state, [{ from, to: Math.min(view.state.doc.length, from + (word?.[0].length ?? 1)), severity: "error", message }]));
    },
    clear: () => view.dispatch(setDiagnostics(view.state, [])),
    focus: () => view.focus(),
  };
}
