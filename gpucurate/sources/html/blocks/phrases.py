"""Short phrases of boilerplate, looked for in the text of a block; several languages, hints to the model only."""

from __future__ import annotations

from gpucurate.sources.html.blocks.automaton import build

# "_" stands for the edge of a word.
PHRASES = {
    "copyright": "copyright © all_rights_reserved alle_rechte tous_droits todos_los_derechos",
    "share": "_share_ tweet facebook twitter whatsapp pinterest linkedin _email_ teilen partager compartir condividi",
    "more": "read_more _more_ weiterlesen mehr_zum related read_next see_also lire_aussi leer_m also_read you_may "
    "recommended most_popular trending don_t_miss",
    "signup": "newsletter subscribe sign_up _sign_in log_in _login_ register abonn anmelden suscr",
    "comment": "comment kommentar _reply_ antworten répondre comentar",
    "cookie": "cookie privacy terms_of datenschutz impressum",
    "byline": "_by_ _posted_ published updated _photo _image _credit getty reuters _foto_ _von_ author",
    "ad": "advertis anzeige sponsor publicit publicidad werbung promoted",
}
PHRASE_FOLLOW, PHRASE_FOUND = build(PHRASES)
