"""Pages that no one would write on purpose: a piece to repeat and what stands around it, `*` where it goes."""

from __future__ import annotations

PROSE = "<p>" + "This is a sentence with several words, and a comma. " * 6 + "</p>"

ADVERSARIAL = {
    "nested divs": ("<div>", f"*{PROSE}"),
    "nested spans": ("<span class=x>", f"*{PROSE}"),
    "nested tables": ("<table><tr><td>x", f"*{PROSE}"),
    "nested lists": ("<ul><li>x", f"*{PROSE}"),
    "end tags of what is not open": ("x</section></td></li></p></span>", "<div><div><div>*"),
    "end tags of what is far up": ("<div>x</section>", "<section>*"),
    "angles": ("<", "*"),
    "ampersands": ("&", "*"),
    "long references": ("&" + "a" * 40, "*"),
    "numbers": ("&#0000000", "*"),
    "unclosed scripts": ("<script ", "*"),
    "unclosed titles": ("<title>x", "*"),
    "unclosed iframes": ("<iframe>x", "*"),
    "unclosed formulas": ("<math>x", "*"),
    "formulas with half an annotation": ("<math><annotation ", "*"),
    "formulas": ("<math><annotation encoding=tex>x</math>", "*"),
    "unclosed comments": ("<!-- x -", "*"),
    "ends of comments": ("<!-->--!>", "*"),
    "unclosed attributes": ("<a href='x", "*"),
    "attributes without value": ("x = ", "<p *>y"),
    "colons in a style": ("display:visibility:", f"<p style='*'>{PROSE}"),
    "names of classes": ("comment ", f"<p class='*'>{PROSE}"),
    "white space": ("\n \t", f"x*{PROSE}"),
    "line breaks": ("x<br>", "*"),
    "white space in pre": (" \n", "<pre>x*y</pre>"),
    "cells of a row": ("<td>x", "<table><tr>*"),
    "cells with two blocks at the end": ("<td>x", "<table><tr>*<p>y"),
    "empty cells": ("<td>", "<table><tr><td>x*<td>y"),
    "rows": ("<tr><td>x<td>y", "<table>*"),
    "links": ("<a href=x>y</a>", "*"),
    "headings in links": ("<h2><a href=x>some words of a teaser</a></h2>", "*"),
    "paragraphs": (PROSE, "*"),
    "metadata": ("<meta name=author content=x><link rel='canonical license' href=y>", "*"),
}
