"""Colors and keys: chosen anew, kept in the browser, exported with the session; keys are off where text is typed."""

import unittest

from browser import BrowserTest, rows, trace_with


class Settings(BrowserTest):
    def setUp(self):
        super().setUp()
        self.trace = trace_with("states")
        if self.trace is None:
            self.skipTest("no trace with states")

    def test_a_color_is_chosen_kept_and_exported(self):
        self.open(trace=self.trace, o="links=0")
        value, old = next(iter(self.legend().items()))
        self.page.keyboard.press("c")
        field = self.page.get_by_label(f"Color of {value}", exact=True)
        field.fill("#123456")
        self.page.keyboard.press("Escape")
        self.rest()
        self.assertEqual((0x12, 0x34, 0x56), self.legend()[value])
        self.assertTrue(self.has_pixel((0x12, 0x34, 0x56)))
        self.assertFalse(self.has_pixel(old))
        with self.page.expect_download() as session:
            self.page.click("text=Session .sql")
        with open(session.value.path(), encoding="utf-8") as file:
            self.assertIn(f'-- color #123456 "{value}"\n', file.read())
        self.open(trace=self.trace, o="links=0")
        self.assertEqual((0x12, 0x34, 0x56), self.legend()[value])
        self.page.click(".legend >> text=Colors")
        self.page.click("text=Reset all")
        self.page.keyboard.press("Escape")
        self.rest()
        self.assertEqual(old, self.legend()[value])
        self.assertTrue(self.has_pixel(old))

    def test_the_session_holds_all_that_was_asked(self):
        self.open(trace=self.trace, o="links=0")
        # More statements than are kept in one piece.
        for _ in range(8):
            before = self.hash()
            self.page.keyboard.press("w")
            self.await_hash("hash !== given", before)
        with self.page.expect_download() as session:
            self.page.click("text=Session .sql")
        with open(session.value.path(), encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith(f'USE "{self.trace}";\n\n-- '), text[:80])
        shown = [sql for sql in self.queries() if any(name in sql for name in ("timeline(", "findings(", "event_slices(", "variable_slices("))]
        self.assertGreater(text.count(";\n"), 20)
        for sql in shown:
            self.assertEqual(1, text.count(f"\n{sql};\n"), sql)
        ordered = [text.index(sql) for sql in shown if "timeline(" in sql]
        self.assertEqual(sorted(ordered), ordered)

    def has_pixel(self, color):
        plot = self.plot()
        return self.page.evaluate(
            "([w, h, r, g, b]) => { const d = document.querySelector('.timeline canvas.plot').getContext('2d').getImageData(0, 0, w, h).data;"
            " for (let i = 0; i < d.length; i += 4) if (d[i] === r && d[i + 1] === g && d[i + 2] === b) return true; return false; }",
            [plot["width"], plot["height"], *color],
        )

    def choose_key(self, action, key):
        self.page.click(f"[data-key={action}]")
        self.page.keyboard.press(key)

    def test_a_key_is_chosen_and_kept(self):
        self.open(trace=self.trace)
        before, press = self.hash(), self.page.keyboard.press
        press("?")
        self.choose_key("zoom-in", "e")
        self.assertEqual("E", self.page.inner_text("[data-key=zoom-in]"))
        press("Escape")
        press("w")
        self.rest()
        self.assertEqual(before, self.hash(), "the old key does nothing any longer")
        press("e")
        self.await_hash("hash !== given", before)
        self.open(trace=self.trace)
        before = self.hash()
        press("e")
        self.await_hash("hash !== given", before)
        press("?")
        self.page.click("text=Reset")
        self.assertEqual("W, +", self.page.inner_text("[data-key=zoom-in]"))

    def test_a_key_is_switched_off_or_taken_from_another(self):
        self.open(trace=self.trace)
        self.page.keyboard.press("?")
        self.choose_key("fit", "Delete")
        self.assertEqual("off", self.page.inner_text("[data-key=fit]"))
        self.choose_key("notes", "s")
        self.assertEqual("S", self.page.inner_text("[data-key=notes]"))
        self.assertEqual("-", self.page.inner_text("[data-key=zoom-out]"))
        self.choose_key("notes", "Tab")
        self.choose_key("notes", "ArrowUp")
        self.assertEqual("S", self.page.inner_text("[data-key=notes]"), "keys of the browser stay what they are")

    def test_keys_are_off_in_text_fields(self):
        self.open(trace=self.trace)
        before = self.hash()
        for field in (".range", "input[type=search]"):
            self.page.focus(field)
            self.page.keyboard.press("d")
            self.page.keyboard.press("2")
            self.page.keyboard.press("Escape")
        self.rest()
        self.assertEqual(before, self.hash())

    def test_names_of_colors_stay_text(self):
        """A color that a stranger put into the browser's store is a color or nothing."""
        self.open(trace=self.trace)
        value = rows("SELECT value FROM states GROUP BY value ORDER BY value LIMIT 1", self.trace)[0]["value"]
        self.page.evaluate("(value) => localStorage.setItem('ocellus.colors', JSON.stringify({[value]: 'url(x)', other: 7}))", value)
        self.open(trace=self.trace)
        self.page.evaluate("() => localStorage.setItem('ocellus.colors', 'no json')")
        self.open(trace=self.trace)
        self.assertGreater(len(self.legend()), 0)


if __name__ == "__main__":
    unittest.main()
