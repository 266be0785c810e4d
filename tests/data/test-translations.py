# SPDX-License-Identifier: MIT
"""Fails where a text of the window is missing from the files to translate, or a translation is incomplete or fuzzy."""

import os
import re
import subprocess
import tempfile
import unicodedata
import unittest

SOURCE = os.environ["MS_SOURCE_ROOT"]
FOLDER = os.path.join(SOURCE, "data", "po")
MARK = re.compile(r"(?<!\w)N?_\(|g_dngettext\(|translatable=\"yes\"|"
                  r"(?<!\w)(?:ms_set_error\w*|ms_text|ms_prefix_error|ms_cl_check|ms_batch_item_fail|REFUSE)\([^;]*?\"")
# Sentences of the program's own domain that nobody would look up.
UNTRANSLATED = re.compile(r"g_(?:set_error|error_new)\w*\((?:[^,;]+,)?\s*MS_ERROR,|"
                          r"g_(?:propagate_)?prefix(?:ed)?_error\([^\"]+\"[^\"]*[a-z]{3}")


# Literals of the window that are the same in each language.
NAMES_OF_THE_WINDOW = {"Meanshift Lab", "© The Meanshift Lab authors",
                       # The message of an error that says that the caller has cancelled.
                       "The window is closing."}
COMMENT = re.compile(r"/\*.*?\*/", re.S)
LITERALS = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*(?:PRI\w+\s*)?"(?:[^"\\\n]|\\.)*")*')
# What a text stands in that is looked up, or that no user sees.
LOOKED_UP = re.compile(r"(?<!\w)(?:N?_|g_dngettext|ms_set_error\w*|ms_prefix_error|g_error|g_message)"
                       r"\([^;{}]*$")


def unmarked_texts(source):
    source = COMMENT.sub("", source)
    blanked = LITERALS.sub(lambda match: "." * len(match.group()), source)
    for match in LITERALS.finditer(source):
        text = re.sub(r'"\s*(?:PRI\w+\s*)?"', "", match.group())[1:-1]
        before = blanked[:match.start()][-300:]
        if re.search(r"[A-Za-z']{2}[,;:]? [A-Za-z]{2}", text) and not LOOKED_UP.search(before):
            yield text


def read(*parts):
    with open(os.path.join(SOURCE, *parts), encoding="utf-8") as file:
        return file.read()


def keywords():
    """The functions that take a text to translate, as the build names them for xgettext."""
    return re.findall(r"'(--keyword=[^']+)'", read("data", "po", "meson.build"))


def words(name, folder=FOLDER):
    return [line for line in read(folder, name).split("\n") if line and not line.startswith("#")]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=SOURCE, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout + done.stderr


def marked_files():
    found = [f"data/{name}" for name in sorted(os.listdir(os.path.join(SOURCE, "data")))
             if name.endswith((".desktop", ".metainfo.xml"))]
    for top in ("app", "core", "ui"):
        for folder, _, names in os.walk(os.path.join(SOURCE, top)):
            paths = [os.path.relpath(os.path.join(folder, name), SOURCE) for name in names]
            found += [path for path in paths if path.endswith((".c", ".ui")) and MARK.search(read(path))]
    return sorted(found)


class TranslationsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="ms-po-")
        cls.template = os.path.join(cls.folder.name, "texts.pot")
        run("xgettext", "--files-from=data/po/POTFILES", "--from-code=UTF-8", "--add-comments", "--keyword=_",
            "--keyword=N_", *keywords(), "--package-name=meanshift-lab", "--output=" + cls.template)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_marked_file_is_listed(self):
        self.assertEqual(words("POTFILES"), marked_files())

    def test_every_error_of_the_program_is_looked_up(self):
        paths = [os.path.join(folder, name) for top in ("app", "core")
                 for folder, _, names in os.walk(os.path.join(SOURCE, top)) for name in names if name.endswith(".c")]
        self.assertGreater(len(paths), 100)
        found = [f"{path}: {match.group()}" for path in sorted(paths) if not path.endswith("core/error.c")
                 for match in UNTRANSLATED.finditer(read(path))]
        self.assertEqual(found, [])

    def test_every_text_of_the_window_is_marked(self):
        """No literal with two words stands in ui/ unless it is looked up, or names a signal or an action."""
        paths = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(SOURCE, "ui"))
                 for name in names if name.endswith(".c")]
        self.assertGreater(len(paths), 40)
        found = [f"{os.path.relpath(path, SOURCE)}: {text}" for path in sorted(paths)
                 for text in unmarked_texts(read(path)) if text not in NAMES_OF_THE_WINDOW]
        self.assertEqual(found, [])

    def check_language(self, folder, template, language):
        merged = os.path.join(self.folder.name, language + ".po")
        run("msgmerge", "--no-fuzzy-matching", "--output-file=" + merged, os.path.join(folder, language + ".po"),
            template)
        missing = run("msgattrib", "--untranslated", "--no-obsolete", "--no-wrap", merged)
        self.assertEqual(re.findall(r'(?m)^msgid "(.+)"$', missing), [], language)
        fuzzy = run("msgattrib", "--only-fuzzy", "--no-obsolete", os.path.join(folder, language + ".po"))
        self.assertEqual(fuzzy, "", language)

    def test_every_text_is_translated(self):
        for language in words("LINGUAS"):
            self.check_language(FOLDER, self.template, language)

    def test_every_text_of_the_experiments_is_translated(self):
        folder = os.path.join(SOURCE, "data", "experiments", "po")
        names = sorted(name for name in os.listdir(os.path.dirname(folder)) if name.endswith(".experiment"))
        self.assertEqual(words("POTFILES", folder), ["data/experiments/" + name for name in names])
        template = os.path.join(self.folder.name, "experiments.pot")
        # Keys with spaces, which other groups have, draw warnings.
        run("xgettext", "--files-from=data/experiments/po/POTFILES", "--language=Desktop", "--from-code=UTF-8",
            "--keyword", "--keyword=Title", "--keyword=Description", "--keyword=Finding", "--keyword=XTitle",
            "--keyword=Lesson", "--keyword=Claim",
            "--output=" + template)
        self.assertEqual(words("LINGUAS", folder), words("LINGUAS"))
        for language in words("LINGUAS", folder):
            self.check_language(folder, template, language)
            run("msgfmt", "--check", "--output-file=" + os.devnull, os.path.join(folder, language + ".po"))

    def test_formats_agree(self):
        for language in words("LINGUAS"):
            run("msgfmt", "--check", "--output-file=" + os.devnull, os.path.join(FOLDER, language + ".po"))

    def test_the_field_s_own_terms_are_used(self):
        text = read("data", "po", "zh_CN.po")
        for term in ("均值漂移", "归约", "工作组", "局部内存", "直方图"):
            self.assertTrue(term in text, term)

    def run_in(self, language, *arguments):
        if not os.path.isdir(os.path.join(os.environ["LOCPATH"], "zh_CN.UTF-8")):
            self.skipTest("No Chinese locale could be made here (package locales)")
        texts = os.path.join(os.environ["MS_BUILD_ROOT"], "data", "po")
        environment = dict(os.environ, LANGUAGE=language, LC_ALL=language + ".UTF-8", MS_LOCALE_FOLDER=texts)
        return subprocess.run([os.environ["MS_PROGRAM"], *arguments], capture_output=True, text=True, env=environment,
                              check=False)

    def test_help_is_translated(self):
        english, chinese = (self.run_in(language, "--help-all").stdout for language in ("C", "zh_CN"))
        names = re.compile(r"(?m)^  (?! )(.*?)(?:  |$)")
        self.assertEqual(names.findall(english)[2:], names.findall(chinese)[2:])
        rows = re.split(r"\n(?=  \S)", chinese.split("\n\n", 1)[1])
        without = [row for row in rows if not re.search("[\u4e00-\u9fff]", row) and "uchar" not in row]
        self.assertEqual(without, [])

    def test_help_fits_into_100_columns(self):
        for language in ("C", "zh_CN"):
            for line in self.run_in(language, "--help-all").stdout.split("\n"):
                width = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
                self.assertLessEqual(width, 100, line)

    def test_experiments_are_listed_in_the_language(self):
        arguments = ["--headless", "--experiment", "list"]
        english, chinese = (self.run_in(language, *arguments).stdout.split("\n")[::2] for language in ("C", "zh_CN"))
        self.assertEqual([line.split(" ")[0] for line in english], [line.split(" ")[0] for line in chinese])
        self.assertEqual([line for line in chinese if line and not re.search("[\u4e00-\u9fff]", line)], [])

    def test_refusals_are_translated(self):
        cases = {"--no-such-option": "没有选项 --no-such-option；", "--sp=0": "--sp 不能是“0”；",
                 "--split=equal": "--split 需要 --devices；"}
        for argument, sentence in cases.items():
            command = ["--headless", "in.png", "-o", "out.png", argument]
            english, chinese = (self.run_in(language, *command) for language in ("C", "zh_CN"))
            self.assertIn(sentence, chinese.stderr)
            self.assertEqual((english.returncode, english.stdout), (chinese.returncode, chinese.stdout))

    def test_errors_of_files_are_translated_and_records_of_them_are_not(self):
        with tempfile.TemporaryDirectory(prefix="ms-errors-") as folder:
            lines = {}
            open(os.path.join(folder, "empty.png"), "wb").close()
            sentences = {"C": "' is empty; get a fresh copy of it.", "zh_CN": "”是空文件；请重新获取。"}
            for language, sentence in sentences.items():
                manifest = os.path.join(folder, language + ".jsonl")
                done = self.run_in(language, "--headless", os.path.join(folder, "empty.png"), "-o",
                                   os.path.join(folder, "out.png"), "--manifest", manifest)
                self.assertIn(sentence, done.stderr)
                self.assertEqual(done.returncode, 1)
                lines[language] = re.findall(r'"error" *: *"(.*?)"', read(manifest))
        self.assertEqual(len(lines["C"]), 1)
        self.assertEqual(lines["C"], lines["zh_CN"])

    def test_output_for_machines_does_not_depend_on_the_language(self):
        for arguments in (["--headless", "--list-devices", "--json", "-"], ["--headless", "--no-such-option"]):
            english, chinese = (self.run_in(language, *arguments) for language in ("C", "zh_CN"))
            self.assertEqual((english.returncode, english.stdout), (chinese.returncode, chinese.stdout))


if __name__ == "__main__":
    unittest.main()
