"""The languages of fastText's lid.176 by every name a user may give them: ISO 639-1, 639-3, 639-2/B, English.

A table and a lookup; nothing here knows the model or a document.
"""

from __future__ import annotations

import difflib
from functools import cache
from typing import NamedTuple


class Language(NamedTuple):
    """`code` is ISO 639-1 where the language has one, else `iso3`, which is ISO 639-3 (639-2 for a few groups)."""

    label: str  # what the model says, without its prefix
    code: str
    iso3: str
    name: str


# Label of the model, three-letter code, English name.  `als` is the model's word for Alemannic (ISO `gsw`).
TABLE = """
af afr Afrikaans; als gsw Alemannic; am amh Amharic; an arg Aragonese; ar ara Arabic; arz arz Egyptian Arabic;
as asm Assamese; ast ast Asturian; av ava Avaric; az aze Azerbaijani; azb azb South Azerbaijani; ba bak Bashkir;
bar bar Bavarian; bcl bcl Central Bikol; be bel Belarusian; bg bul Bulgarian; bh bih Bihari; bn ben Bengali;
bo bod Tibetan; bpy bpy Bishnupriya; br bre Breton; bs bos Bosnian; bxr bxr Russia Buriat; ca cat Catalan;
cbk cbk Chavacano; ce che Chechen; ceb ceb Cebuano; ckb ckb Central Kurdish; co cos Corsican; cs ces Czech;
cv chv Chuvash; cy cym Welsh; da dan Danish; de deu German; diq diq Dimli; dsb dsb Lower Sorbian; dty dty Dotyali;
dv div Dhivehi; el ell Greek; eml eml Emilian-Romagnol; en eng English; eo epo Esperanto; es spa Spanish;
et est Estonian; eu eus Basque; fa fas Persian; fi fin Finnish; fr fra French; frr frr Northern Frisian;
fy fry Western Frisian; ga gle Irish; gd gla Scottish Gaelic; gl glg Galician; gn grn Guarani;
gom gom Goan Konkani; gu guj Gujarati; gv glv Manx; he heb Hebrew; hi hin Hindi; hif hif Fiji Hindi;
hr hrv Croatian; hsb hsb Upper Sorbian; ht hat Haitian; hu hun Hungarian; hy hye Armenian; ia ina Interlingua;
id ind Indonesian; ie ile Interlingue; ilo ilo Iloko; io ido Ido; is isl Icelandic; it ita Italian;
ja jpn Japanese; jbo jbo Lojban; jv jav Javanese; ka kat Georgian; kk kaz Kazakh; km khm Khmer; kn kan Kannada;
ko kor Korean; krc krc Karachay-Balkar; ku kur Kurdish; kv kom Komi; kw cor Cornish; ky kir Kyrgyz; la lat Latin;
lb ltz Luxembourgish; lez lez Lezgian; li lim Limburgish; lmo lmo Lombard; lo lao Lao; lrc lrc Northern Luri;
lt lit Lithuanian; lv lav Latvian; mai mai Maithili; mg mlg Malagasy; mhr mhr Eastern Mari; min min Minangkabau;
mk mkd Macedonian; ml mal Malayalam; mn mon Mongolian; mr mar Marathi; mrj mrj Western Mari; ms msa Malay;
mt mlt Maltese; mwl mwl Mirandese; my mya Burmese; myv myv Erzya; mzn mzn Mazanderani; nah nah Nahuatl;
nap nap Neapolitan; nds nds Low German; ne nep Nepali; new new Newari; nl nld Dutch; nn nno Norwegian Nynorsk;
no nor Norwegian; oc oci Occitan; or ori Odia; os oss Ossetian; pa pan Punjabi; pam pam Pampanga;
pfl pfl Palatine German; pl pol Polish; pms pms Piedmontese; pnb pnb Western Punjabi; ps pus Pashto;
pt por Portuguese; qu que Quechua; rm roh Romansh; ro ron Romanian; ru rus Russian; rue rue Rusyn; sa san Sanskrit;
sah sah Yakut; sc srd Sardinian; scn scn Sicilian; sco sco Scots; sd snd Sindhi; sh hbs Serbo-Croatian;
si sin Sinhala; sk slk Slovak; sl slv Slovenian; so som Somali; sq sqi Albanian; sr srp Serbian; su sun Sundanese;
sv swe Swedish; sw swa Swahili; ta tam Tamil; te tel Telugu; tg tgk Tajik; th tha Thai; tk tuk Turkmen;
tl tgl Tagalog; tr tur Turkish; tt tat Tatar; tyv tyv Tuvan; ug uig Uyghur; uk ukr Ukrainian; ur urd Urdu;
uz uzb Uzbek; vec vec Venetian; vep vep Veps; vi vie Vietnamese; vls vls West Flemish; vo vol Volapük;
wa wln Walloon; war war Waray; wuu wuu Wu Chinese; xal xal Kalmyk; xmf xmf Mingrelian; yi yid Yiddish;
yo yor Yoruba; yue yue Cantonese; zh zho Chinese
"""

BIBLIOGRAPHIC = {  # ISO 639-2/B, the codes libraries use
    "alb": "sqi", "arm": "hye", "baq": "eus", "bur": "mya", "chi": "zho", "cze": "ces", "dut": "nld", "fre": "fra",
    "geo": "kat", "ger": "deu", "gre": "ell", "ice": "isl", "mac": "mkd", "may": "msa", "per": "fas", "rum": "ron",
    "slo": "slk", "tib": "bod", "wel": "cym",
}  # fmt: skip


@cache
def languages() -> dict[str, Language]:
    """All languages by the model's label."""
    found = {}
    for row in TABLE.replace("\n", " ").split(";"):
        label, iso3, name = row.split(maxsplit=2)
        found[label] = Language(label, label if len(label) == 2 else iso3, iso3, name.strip())
    return found


@cache
def _by_any_name() -> dict[str, Language]:
    names: dict[str, Language] = {}
    for language in languages().values():
        names |= dict.fromkeys((language.code, language.iso3, language.name.lower()), language)
    return names | {code: names[iso3] for code, iso3 in BIBLIOGRAPHIC.items()}


def find_language(name: str) -> Language:
    """The language meant by an ISO code or an English name, in any case.

    Raises ValueError, with the nearest name, where the model does not know it.
    """
    wanted = name.strip().lower()
    if wanted in _by_any_name():
        return _by_any_name()[wanted]
    near = difflib.get_close_matches(wanted, _by_any_name(), n=1, cutoff=0.5)
    if not near:
        raise ValueError(f"unknown language {name!r}: give an ISO 639 code such as 'en' or 'eng', or an English name")
    language = _by_any_name()[near[0]]
    raise ValueError(f"unknown language {name!r}: did you mean {near[0]!r} ({language.name}, {language.code!r})?")
