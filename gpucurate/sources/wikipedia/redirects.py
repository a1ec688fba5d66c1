"""Redirects by their text, for exports that do not mark them with an element of their own.

A page that is nothing but `#WORD [[target]]` is a redirect in whatever language the word is; one with more text behind
it only if the word is known, since a list item may look the same.
"""

from __future__ import annotations

import re

# The magic word `redirect` in MediaWiki's message files, as large wikis write it.
WORDS = """
REDIRECT WEITERLEITUNG REDIRECTION REDIRECCIÓN REDIRECCION REDIRECCIÓ REDIRECIONAMENTO RINVIA RINVIO DOORVERWIJZING
PATRZ PRZEKIERUJ TAM OMDIRIGERING OMDIRIGER VIDERESTILLING TILVÍSUN OHJAUS UUDELLEENOHJAUS ÁTIRÁNYÍTÁS PŘESMĚRUJ
PRESMERUJ PREUSMERITEV PREUSMJERI PREUSMERI ПРЕУСМЕРИ ПЕРЕНАПРАВЛЕНИЕ ПЕРЕНАПР ПЕРЕНАПРАВЛЕННЯ ПЕРАНАКІРАВАНЬНЕ
ПРЕНАСОЧВАНЕ ВИЖ ПРЕНАСОЧУВАЊЕ REDIRECTEAZA YÖNLENDİRME YÖNLENDİR İSTİQAMƏTLƏNDİRMƏ АЙДАУ ALIH ĐỔI ALIDIREKTU
PERADRESAVIMAS SUUNA BIRZUZENDU ATHSHEOLADH AIL-CYFEIRIO ADKAS RIDREJTO ΑΝΑΚΑΤΕΥΘΥΝΣΗ ՎԵՐԱՀՂՈՒՄ გადამისამართება
הפניה تحويل تغییر_مسیر تغییرمسیر अनुप्रेषित पुनर्प्रेषित পুনর্নির্দেশ దారిమార్పు வழிமாற்று ಪುನರ್ನಿರ್ದೇಶನ തിരിച്ചുവിടുക
เปลี่ยนทาง 重定向 転送 リダイレクト 넘겨주기
"""
KNOWN = re.compile(rf"\s*[#＃]\s?(?:{'|'.join(map(re.escape, WORDS.split()))})\s*:?\s*\[\[", re.IGNORECASE)
LINK, TEMPLATE = r"\[\[[^\]\n]{1,300}\]\]", r"\{\{[^{}]{1,300}\}\}"
ALONE = re.compile(rf"\s*[#＃]\s?\w[\w \-]{{0,40}}?\s*:?\s*{LINK}\s*(?:(?:{LINK}|{TEMPLATE})\s*)*")
LOOKED_AT = 2000  # characters; redirects are short


def is_redirect(wikitext: bytes) -> bool:
    """True if the page's text makes it a redirect."""
    start = wikitext[:64].lstrip()
    if not start.startswith((b"#", "＃".encode())):
        return False
    text = wikitext[:LOOKED_AT].decode("utf-8", "ignore")
    return KNOWN.match(text) is not None or (len(wikitext) < LOOKED_AT and ALONE.fullmatch(text) is not None)
