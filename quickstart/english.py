"""English for the pool: made-up local history, plain enough for a language model and for every quality rule to accept.

All words were chosen for this project.  Verbs and nouns are regular, so that their other forms follow from a rule.
"""

from __future__ import annotations

from grammar import Grammar


def _words(text: str) -> list[str]:
    """Entries between spaces; an underscore stands for a space within one."""
    return [word.replace("_", " ") for word in text.split()]


def _past(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    return verb[:-1] + "ied" if verb.endswith("y") and verb[-2] not in "aeiou" else verb + "ed"


def _plural(noun: str) -> str:
    if noun.endswith(("ch", "sh", "x", "s")):
        return noun + "es"
    return noun[:-1] + "ies" if noun.endswith("y") and noun[-2] not in "aeiou" else noun + "s"


VERBS = _words(
    "repair measure describe paint borrow carry restore examine design count copy guard polish dismantle rescue "
    "admire question photograph catalogue deliver weigh abandon rediscover donate exchange improve mend move notice "
    "order praise protect record replace sketch study trade unearth varnish label inspect rent clean collect "
    "replant observe reinforce preserve purchase display decorate explain finish gather imitate invent launch locate "
    "mention neglect open raise receive remember remove reopen return salvage search support test transport uncover "
    "value visit want watch welcome"
)
NOUNS = _words(
    "bridge ledger lantern map clock plough barrel loom bell staircase window cart boat letter kettle ladder mirror "
    "saddle basket chair fence gate violin telescope pump oven anchor chimney chest coat compass diary drum engine "
    "fountain garden globe hammer hinge inkwell jacket jug key lamp lock manuscript medal millstone necklace "
    "notebook oar organ painting parcel pendulum pipe portrait press quilt raft roof rope sail scale sculpture "
    "signpost sledge spade stove sundial table tapestry thimble tile trumpet trunk tunnel umbrella vase wagon wall "
    "waterwheel weathervane well wheel whistle wreath yoke almanac beehive bookcase candlestick doorway furnace "
    "greenhouse harness icehouse"
)
TRADES = _words(
    "baker ferryman schoolteacher surveyor clockmaker weaver miller lamplighter printer gardener carpenter "
    "stonemason beekeeper cooper shepherd postmaster librarian midwife innkeeper glassblower cartographer signalman "
    "blacksmith rope_maker doctor fiddler potter tailor engineer harbour_master fisherman bookbinder botanist mayor "
    "nurse painter quarryman roofer saddler thatcher watchman wheelwright archivist bell_founder candle_maker drover "
    "geologist magistrate organist porter sexton tinsmith tutor well_digger translator dyer barber lighthouse_keeper"
)
PLACES = _words(
    "harbour mill church market river orchard quarry station school tavern meadow lighthouse canal forest hill "
    "chapel barn cemetery courtyard crossroads dockyard farm ferry_landing foundry library marsh monastery museum "
    "pasture pier post_office prison reservoir saltworks sawmill shore stable tannery theatre toll_house town_hall "
    "valley vineyard warehouse watchtower wharf windmill workshop common green"
)

ENGLISH: Grammar = {
    "verb": VERBS,
    "past": [_past(verb) for verb in VERBS],
    "done": [_past(verb) for verb in VERBS],
    "noun": NOUNS,
    "nouns": [_plural(noun) for noun in NOUNS],
    "trade": TRADES,
    "place": PLACES,
    "temper": _words(
        "young old patient careful cheerful stubborn retired travelling learned quiet ambitious generous weary "
        "curious frugal skilful lonely respected widowed local talkative absent-minded strict kindly restless proud "
        "modest devout elderly energetic good-natured hard-working inventive nervous practical thoughtful"
    ),
    "look": _words(
        "wooden broken heavy narrow painted rusty silver forgotten enormous delicate crooked famous plain valuable "
        "old bright worn hollow portable expensive curious dusty elegant foreign handsome leaking little magnificent "
        "mysterious new ordinary peculiar polished rare ruined simple sturdy tall ugly unfinished useful carved "
        "copper iron oak tarred brass marble quiet second stolen weathered"
    ),
    "setting": _words(
        "old upper lower new crowded deserted flooded windy northern southern eastern western busy half-built ruined "
        "steep sunny shaded famous little former frozen private royal stone abandoned"
    ),
    "near": _words("beside near behind below above across_from opposite outside beyond not_far_from close_to within"),
    "month": _words("January February March April May June July August September October November December"),
    "weekday": _words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday"),
    "season": _words("spring summer autumn winter harvest thaw"),
    "first": _words(
        "Agnes Albert Beatrice Bernard Clara Cyril Dorothy Edmund Edith Ernest Florence Gilbert Harriet Hugo Ida "
        "Jasper Josephine Leonard Lydia Magnus Martha Nathaniel Olive Oswald Phoebe Quentin Rosalind Rupert Sybil "
        "Thomas Ursula Victor Winifred"
    ),
    "last": _words(
        "Abelard Barlow Cobb Dunmore Easterby Farthing Gosling Hartnell Inskip Jessop Kettleby Lockwood Marchbanks "
        "Nettleship Ormond Penhale Quill Rackstraw Silverlock Tolliver Underhay Vickery Wetherell Yarrow"
    ),
    "manner": _words(
        "carefully slowly secretly openly twice without_help in_great_haste by_candlelight at_dawn by_hand "
        "with_pride for_a_small_fee for_nothing with_some_doubt in_silence before_breakfast all_alone once_more "
        "against_advice"
    ),
    "people": [
        "the villagers", "most families", "visitors from {elsewhere}", "the children", "several {temper} neighbours",
        "the apprentices", "passing sailors", "the council", "a crowd of farmers", "both sisters", "her cousins",
        "half the parish", "the pupils of the school", "merchants from {elsewhere}", "the night workers", "pilgrims",
        "the new owners", "local historians", "the shareholders", "the {trade} and the {trade}",
    ],
    "elsewhere": _words(
        "the_coast the_capital the_next_valley the_islands the_north the_hills Port_Marrow Upper_Sedge Quillhaven "
        "Saint_Orrin the_border the_south"
    ),
    "person": [
        "the {temper} {trade}", "a {temper} {trade}", "the {trade}", "{hero}", "{first} {last}",
        "a {trade} from {town}",
    ],
    "thing": [
        "the {look} {noun}", "a {look} {noun}", "the {noun} of the {trade}", "her {look} {noun}", "his {noun}",
        "every {noun} {near} the {place}", "a {noun} and a {noun}", "the {look} {nouns}", "{number} {nouns}",
    ],
    "item": [  # one, for `was` and `stood`
        "the {look} {noun}", "a {look} {noun}", "the {noun} of the {trade}", "her {look} {noun}", "his {noun}",
        "the {noun} from {elsewhere}", "the {look} {look} {noun}",
    ],
    "spot": [
        "{near} the {place}", "{near} the {setting} {place}", "in {town}", "at the {setting} {place}",
        "on the road to {elsewhere}", "in the {place} of {town}",
    ],
    "when": [
        "in the {season} of {year}", "on the first {weekday} of {month}", "after the long drought",
        "by the end of {year}", "some years later", "early in {month} {year}", "every {weekday}",
        "soon after the flood", "one evening in {month}", "shortly before the war", "for almost {number} days",
        "within a few weeks", "as late as {year}", "long ago", "before the railway came", "until {year}",
        "towards the end of {month}", "that same {season}",
    ],
    "tail": [
        "because {person} had {done} {thing}", "although {person} wanted to {verb} {thing}",
        "while {people} {past} {thing}", "so that {people} could {verb} it {manner}", "which surprised {people}",
        "and {person} {past} {thing} in return", "but nobody {past} {thing}", "as {person} later told {people}",
        "until {person} {past} it {manner}", "which is why {people} still {verb} {thing}",
        "even though the {place} was closed", "just as {people} had hoped", "where {people} used to {verb} {thing}",
        "a habit that {people} never gave up", "whose {noun} had been {done} {when}",
    ],
    "sentence": [
        "{when}, {person} {past} {thing} {spot}.",
        "{person} {past} {thing}, {tail}.",
        "{person} {past} {thing} {manner} and then {past} {thing}.",
        "{when}, {people} {past} {thing}, {tail}.",
        "nobody knows how {item} came to be {done} {spot}.",
        "according to {person}, {item} was {done} {when}.",
        "it took {number} days to {verb} {thing} {spot}.",
        "records from {year} mention {number} {nouns}, of which only a few were ever {done}.",
        "{item} stood {spot} {when}, {tail}.",
        "if {person} had not {done} {thing}, {people} would have {done} {thing}.",
        "what {person} liked most was to {verb} {thing} {manner}.",
        "there is a story that {person} once {past} {thing} {spot}.",
        "{people} seldom {past} {thing}, and {person} was no exception.",
        "the {place} was {done} {when} and has been {done} again since then.",
        '"You cannot {verb} {thing} and {verb} {thing}," said {person}.',
        "{person} wrote to {people} about {thing}, {tail}.",
        "when {person} {past} {thing}, {people} began to {verb} {thing}.",
        "with the help of {people}, {person} {past} {thing} {spot}.",
        "not everyone agreed that {item} should be {done} {spot}.",
        "today {thing} can be seen {spot}, {tail}.",
        "{item} cost more than {number} pounds and was {done} {manner}.",
        "{hero} never {past} {thing} again, {tail}.",
        "to this day {people} {verb} {thing} {when}.",
        "a visitor who walks from the {place} to the {setting} {place} will pass {thing}.",
        "the reason was simple: {people} wanted to {verb} {thing} {spot}.",
        "{when} the {place} was sold to {person}, {tail}.",
        "some say that {item} belonged to {person}, others that {people} {past} it {spot}.",
        "for {person}, the {look} {noun} meant more than {thing}.",
        "after {person} had {done} {thing}, there was little left to {verb} {spot}.",
        "neither {person} nor {people} could {verb} {thing} {manner}.",
        "they {past} {thing} as well as they could, {tail}.",
        "a drawing of {year} shows {person} with {thing} {spot}.",
    ],
    "heading": [
        "Early years of the {place}", "The {look} {noun}", "Life {near} the {place}", "What the {trade} {past}",
        "The {setting} {place}", "Trade in {nouns}", "How {town} changed", "A {temper} {trade}", "Later history",
        "{nouns} and {nouns}", "The winter of {year}", "Memories of {people}",
    ],
    "title": [
        "{town}", "The {trade} of {town}", "{town} {place}", "History of the {town} {noun}", "{hero} of {town}",
        "The {look} {noun} of {town}",
    ],
}  # fmt: skip

TOWNS = [
    front + back
    for front in _words(
        "Alder Ash Barrow Birk Bram Brindle Cald Carn Coll Dun Eller Fen Gild Hallow Harth Holm Kell Lang Marl "
        "Nether Oster Pen Quarn Raven Sall Thorn Ulver Wend Wick Yarl"
    )
    for back in _words(
        "moor by ford wick stead ton ham mere dale combe gate worth hurst holt thorpe beck ness bury field haven"
    )
]  # fmt: skip
