"""What the class, id, role and itemprop of an element say about it, by the words that page authors use.

The lists are hints to a model, not rules: it is the model that learns how far each can be trusted.
"""

from __future__ import annotations

import numpy as np

from gpucurate.sources.html.blocks.automaton import build

# "_" stands for a separator or an end of the value.
KEYWORDS = {
    "body": "article_body articlebody article_content articlecontent article_text articletext article_main "
    "article_copy article_paragraph art_content artcontent content_article entry_content entrycontent "
    "entry_body entry_text post_content postcontent post_body postbody post_text post_entry postentry "
    "post_area story_body storybody story_content story_text body_text bodytext body_copy bodycopy "
    "page_content content_body contentbody content_main content_text field_body fulltext full_text "
    "text_content text_block single_post blog_content blog_post rich_text richtext _prose_ markdown wysiwyg "
    "mw_parser_output mw_content news_text newstext detail_content main_text maintext section_content "
    "theme_content",
    "article": "article story _post_ _post entry blog news _single",
    "main": "_main main_ content maincol primary",
    "text": "text _body body_ copy paragraph _para_",
    "lead": "_lead _intro intro_ standfirst _dek_ _deck_ summary excerpt abstract subtitle sub_title subhead subline "
    "description",
    "title": "title headline heading",
    "nav": "_nav nav_ navi navigation navbar navbox subnav menu breadcrumb bread_crumb pager pagination paging topbar "
    "toolbar tabs_ _tab_ _skip sitemap directory",
    "foot": "footer _foot bottom copyright legal contentinfo colophon imprint impressum",
    "head": "header masthead banner logo _head_ _top_ topper",
    "side": "sidebar side_bar aside _rail rail_ right_col rightcol left_col leftcol col_right col_left widget "
    "secondary complementary _side_",
    "comment": "comment disqus _reply respond discussion feedback review kommentar forum_mess forum_fil",
    "share": "share sharing social sociable facebook twitter follow_ addthis addtoany _like whatsapp pinterest _email "
    "print_ _tools _utility viral",
    "related": "related recommend most_ popular trending latest _more_ _more read_more readmore also_ similar recirc "
    "outbrain taboola teaser stories_ suggest next_ _next _prev previous further sibling archive upnext infinite",
    "list": "list_ _list _card card_ _tile tile_ carousel slider slide swiper _grid _feed _item item_ _links _link_",
    "ad": "_ad_ _ads_ _ads _adv_ _gpt advert sponsor dfp criteo adsense adslot commercial promo affiliate paid_ "
    "marketing",
    "signup": "newsletter subscribe subscription signup sign_up login signin sign_in register paywall premium donate "
    "membership syndication _cta _cta_ call_to_action",
    "cookie": "cookie consent gdpr modal popup pop_up overlay lightbox toast _alert notice permission disclaimer "
    "privacy messagebox _message warning",
    "byline": "byline author _bio_ bio_ _bio profile user _avatar contributor vcard writer",
    "meta": "meta _date date_ time_ _time timestamp dateline published post_data postmeta submitted tags _tag_ topics "
    "taxonomy category categories _cats _info info_ credit source rating _views counter _count reading kicker eyebrow",
    "media": "caption figure image photo _img img_ picture media video player embed attachment thumb gallery slideshow",
    "hide": "hidden _hide hide_ sr_only screen_reader visually_hidden visuallyhidden invisible offscreen off_screen "
    "noprint no_print print_only",
    "ui": "button _btn btn_ icon form_ _form search select dropdown input_ options expand tooltip control accordion "
    "toggle",
    "wiki": "_toc_ _toc table_of_contents editsection edit_section reflist _reference_ references citation infobox "
    "hatnote catlinks footnote noteref navbox metadata printfooter jump_to",
    "factbox": "factbox fact_box infobox info_box pullquote pull_quote _inset sidenote toolbox box_ _box callout "
    "_module module_ panel _block_",
    # Names that hold "comment" and are no section of comments.
    "nocomment": "comments_open comment_open comments_closed comments_off comments_enabled has_comments no_comment "
    "comment_count comments_count comment_link comments_link commentary",
    # Inside a line: for screen readers, or the link that a heading has to itself.
    "unseen": "sr_only screen_reader_text visually_hidden visuallyhidden headerlink header_anchor heading_anchor "
    "anchorjs anchor_link hash_link editsection",
}
CATEGORIES = tuple(KEYWORDS)
HIDDEN_BIT = 28  # style="display: none", hidden, aria-hidden="true"; the categories end before it
KEYWORD_FOLLOW, KEYWORD_FOUND = build(KEYWORDS)
LONGEST_VALUE = 400  # bytes of an attribute that are looked at


def category_mask(names: str) -> np.uint64:
    """The bits of categories, given as a list separated by blanks."""
    return np.uint64(sum(1 << CATEGORIES.index(name) for name in names.split()))


HIDDEN = np.uint64(1 << HIDDEN_BIT)
COMMENT, NO_COMMENT, UNSEEN, WIKI = map(category_mask, ("comment", "nocomment", "unseen", "wiki"))
NEGATIVE = HIDDEN | category_mask(
    "nav foot head side comment share related list ad signup cookie byline meta media hide ui wiki factbox"
)
POSITIVE = category_mask("body article main text lead")
