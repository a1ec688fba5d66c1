"""German, French, Spanish and Russian from small grammars: documents that a recipe for English leaves out."""

from __future__ import annotations

from grammar import Grammar

GERMAN: Grammar = {
    "wer": [
        "der alte Müller", "die Lehrerin", "ein junger Schreiner", "der Fährmann", "die Nachbarin", "der Bürgermeister",
        "eine geduldige Weberin", "der Uhrmacher", "die Bäuerin aus dem Tal", "ein Reisender", "der Pfarrer",
        "die Tochter des Schmieds",
    ],
    "tat": [
        "reparierte", "verkaufte", "bewunderte", "zeichnete", "suchte", "vergaß", "beschrieb", "bewachte", "holte",
        "öffnete", "baute", "verlor",
    ],
    "was": [
        "die schwere Truhe", "das zerbrochene Fenster", "den hölzernen Wagen", "eine kleine Laterne", "das Boot",
        "einen langen Brief", "die rostige Pumpe", "das Tagebuch seiner Mutter", "die Brücke", "den Kachelofen",
        "einen Korb voller Äpfel", "die neue Mühle",
    ],
    "wo": [
        "am Fluss", "hinter der Kirche", "auf dem Markt", "in der Scheune", "neben dem Bahnhof", "unter der Brücke",
        "vor dem Rathaus", "im Garten", "an der Grenze", "in der Werkstatt",
    ],
    "wann": [
        "im Frühling", "an einem kalten Morgen", "nach dem Hochwasser", "vor vielen Jahren", "am Abend",
        "jeden Sonntag",
        "im Jahr {year}", "kurz vor der Ernte", "bis zum Winter", "eines Tages",
    ],
    "warum": [
        "weil niemand sonst Zeit hatte", "obwohl es stark regnete", "damit die Kinder nicht froren",
        "während die anderen schliefen", "bevor der Zug abfuhr", "nachdem das Dorf gewachsen war",
        "ohne ein Wort zu sagen", "und alle sahen schweigend zu", "wie es damals üblich war", "aber das wusste keiner",
    ],
    "sentence": [
        "{wer} {tat} {was} {wo}.", "{wer} {tat} {was}, {warum}.", "{wann} {tat} {wer} {was}.",
        "man erzählt, dass {wer} {was} {wo} gefunden hat, {warum}.", "{wo} gab es {wann} kaum noch Arbeit.",
        "für {number} Taler wechselte das Haus {wo} den Besitzer.", "{wann} kam {wer} zurück und {tat} {was}.",
        "niemand wusste, warum {wer} {wann} {wo} wartete.",
    ],
}  # fmt: skip
FRENCH: Grammar = {
    "qui": [
        "le vieux meunier", "la maîtresse d'école", "un jeune menuisier", "le passeur", "la voisine", "le maire",
        "une tisserande patiente", "l'horloger", "la fermière de la vallée", "un voyageur", "le curé",
        "la fille du forgeron",
    ],
    "fit": [
        "répara", "vendit", "admira", "dessina", "chercha", "oublia", "décrivit", "garda", "rapporta", "ouvrit",
        "construisit", "perdit",
    ],
    "quoi": [
        "le coffre trop lourd", "la fenêtre brisée", "une charrette en bois", "la petite lanterne", "le bateau",
        "une longue lettre", "la pompe rouillée", "le journal de sa mère", "le pont", "un panier plein de pommes",
        "le nouveau moulin", "la cloche fêlée",
    ],
    "ou": [
        "au bord de la rivière", "derrière l'église", "sur la place du marché", "dans la grange", "près de la gare",
        "sous le pont", "devant la mairie", "au fond du jardin", "à la frontière", "dans l'atelier",
    ],
    "quand": [
        "au printemps", "un matin très froid", "après l'inondation", "il y a bien longtemps", "le soir",
        "chaque dimanche", "en {year}", "peu avant la moisson", "jusqu'à l'hiver", "un jour",
    ],
    "pourquoi": [
        "parce que personne d'autre n'avait le temps", "bien que la pluie tombât sans cesse",
        "pour que les enfants n'aient pas froid", "pendant que les autres dormaient", "avant le départ du train",
        "sans dire un mot", "et tout le monde regardait en silence", "comme c'était l'usage", "mais nul ne le savait",
    ],
    "sentence": [
        "{qui} {fit} {quoi} {ou}.", "{qui} {fit} {quoi}, {pourquoi}.", "{quand}, {qui} {fit} {quoi}.",
        "on raconte que {qui} {fit} {quoi} {ou}, {pourquoi}.", "{quand}, il ne restait plus guère de travail {ou}.",
        "la maison {ou} fut cédée pour {number} francs.", "{quand}, {qui} revint et {fit} {quoi}.",
        "personne ne savait pourquoi {qui} attendait {ou}, {pourquoi}.",
    ],
}  # fmt: skip
SPANISH: Grammar = {
    "quien": [
        "el viejo molinero", "la maestra", "un joven carpintero", "el barquero", "la vecina", "el alcalde",
        "una tejedora paciente", "el relojero", "la campesina del valle", "un viajero", "el cura",
        "la hija del herrero",
    ],
    "hizo": [
        "reparó", "vendió", "admiró", "dibujó", "buscó", "olvidó", "describió", "guardó", "abrió", "construyó",
        "perdió", "midió",
    ],
    "que": [
        "el pesado baúl", "la ventana rota", "un carro de madera", "la pequeña linterna", "el barco", "una larga carta",
        "la bomba oxidada", "el diario de su madre", "el puente", "una cesta llena de manzanas", "el nuevo molino",
        "la campana agrietada",
    ],
    "donde": [
        "a la orilla del río", "detrás de la iglesia", "en la plaza del mercado", "en el granero",
        "cerca de la estación",
        "debajo del puente", "frente al ayuntamiento", "en el jardín", "en la frontera", "dentro del taller",
    ],
    "cuando": [
        "en primavera", "una mañana muy fría", "después de la inundación", "hace muchos años", "por la tarde",
        "cada domingo", "en {year}", "poco antes de la cosecha", "hasta el invierno", "un día",
    ],
    "porque": [
        "porque nadie más tenía tiempo", "aunque llovía sin parar", "para que los niños no pasaran frío",
        "mientras los demás dormían", "antes de que saliera el tren", "sin decir una palabra",
        "y todos miraban en silencio", "como era costumbre entonces", "pero eso no lo sabía nadie",
    ],
    "sentence": [
        "{quien} {hizo} {que} {donde}.", "{quien} {hizo} {que}, {porque}.", "{cuando}, {quien} {hizo} {que}.",
        "cuentan que {quien} {hizo} {que} {donde}, {porque}.", "{cuando} apenas quedaba trabajo {donde}.",
        "la casa que había {donde} se vendió por {number} reales.", "{cuando} volvió {quien} y {hizo} {que}.",
        "nadie sabía por qué {quien} esperaba {donde}, {porque}.",
    ],
}  # fmt: skip
RUSSIAN: Grammar = {
    "kto": [
        "старый мельник", "молодой столяр", "перевозчик", "сосед", "терпеливый ткач", "часовщик",
        "крестьянин из долины",
        "путешественник", "сын кузнеца", "учитель",
    ],
    "sdelal": [
        "починил", "продал", "нарисовал", "искал", "забыл", "описал", "охранял", "принёс", "открыл", "построил",
        "потерял",
    ],
    "chto": [
        "тяжёлый сундук", "разбитое окно", "деревянную телегу", "маленький фонарь", "лодку", "длинное письмо",
        "ржавый насос", "дневник своей матери", "мост", "корзину с яблоками", "новую мельницу",
    ],
    "gde": [
        "у реки", "за церковью", "на рынке", "в сарае", "возле станции", "под мостом", "перед ратушей", "в саду",
        "на границе", "в мастерской",
    ],
    "kogda": [
        "весной", "холодным утром", "после наводнения", "много лет назад", "вечером", "каждое воскресенье",
        "в {year} году", "незадолго до жатвы", "до самой зимы", "однажды",
    ],
    "pochemu": [
        "потому что ни у кого не было времени", "хотя шёл сильный дождь", "чтобы дети не мёрзли",
        "пока остальные спали", "прежде чем ушёл поезд", "не сказав ни слова", "и все молча смотрели на это",
        "как было принято в те времена", "но об этом никто не знал",
    ],
    "sentence": [
        "{kto} {sdelal} {chto} {gde}.", "{kto} {sdelal} {chto}, {pochemu}.", "{kogda} {kto} {sdelal} {chto}.",
        "говорят, что {kto} {sdelal} {chto} {gde}, {pochemu}.", "{kogda} работы {gde} почти не осталось.",
        "дом {gde} продали за {number} рублей.", "{kogda} вернулся {kto} и {sdelal} {chto}.",
        "никто не знал, зачем {kto} ждал {gde}, {pochemu}.",
    ],
}  # fmt: skip

FOREIGN = {"de": GERMAN, "fr": FRENCH, "es": SPANISH, "ru": RUSSIAN}
