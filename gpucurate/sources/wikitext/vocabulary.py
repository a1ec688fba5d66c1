"""The words of MediaWiki and of Wikipedia's wikis: tags, magic words, URL schemes, namespaces, language codes.

Lists only.  What a list means to the text is said in `rules`; what a particular wiki calls its namespaces comes from
the siteinfo of its dump and is added there.
"""

from __future__ import annotations

# What a tag does to the text.
INLINE, BLOCK, DROP, LITERAL, PREFORMATTED, HTML_TABLE, INVISIBLE = 1, 2, 3, 4, 5, 6, 7
TAGS = {
    INLINE: "a abbr b bdi bdo big center cite code data del dfn em font i img ins kbd langvar link mark meta nobr "
    "poem q rb rbc rp rt rtc ruby s samp small span strike strong sub sup time translate tt tvar u "
    "var wbr",
    BLOCK: "blockquote br caption dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p tbody td th thead tr ul",
    DROP: "categorytree gallery graph imagemap includeonly indicator inputbox languages maplink mapframe math ref "
    "references score script section style templatedata templatestyles timeline",
    LITERAL: "ce chem hiero nowiki source syntaxhighlight",
    PREFORMATTED: "pre",
    HTML_TABLE: "table",
    INVISIBLE: "noinclude onlyinclude",  # not even the start of a line is changed by these
}
CODE_TAGS = ("pre", "source", "syntaxhighlight")

# Double-underscore switches, MediaWiki's MagicWordFactory and the extensions Wikipedia runs.
MAGIC_WORDS = (
    "notoc toc forcetoc nogallery noeditsection newsectionlink nonewsectionlink nocontentconvert nocc notitleconvert "
    "notc index noindex hiddencat expectunusedcategory expectunusedtemplate disambig staticredirect noglobal "
    "archivedtalk notalk"
)

# $wgUrlProtocols: those that are followed by "//", and those that are not.
SLASHED_SCHEMES = "http https ftp ftps sftp ssh irc ircs git svn gopher telnet nntp worldwind mms redis"
PLAIN_SCHEMES = "mailto news bitcoin geo magnet matrix sip sips sms tel urn xmpp"

# Namespaces whose links show no text, by siteinfo key.  The English names work on every wiki.
MEDIA, FILE, CATEGORY = -2, 6, 14
HIDDEN_NAMESPACES = {MEDIA: "Media", FILE: "File Image", CATEGORY: "Category"}

# A dump's siteinfo gives a namespace's local name only, without its aliases, and a single page comes without siteinfo;
# these are the names of large Wikipedias, present and past.
NAMESPACE_ALIASES = {
    FILE: "Bild Datei Fichier Imagen Archivo Immagine Afbeelding Bestand Imagem Ficheiro Arquivo Grafika "
    "Plik Изображение Файл Зображення Слика Датотека Soubor Obrázek Súbor Obrázok Kép Fájl Slika Datoteka Kuva "
    "Tiedosto Fil Billede Berkas Gambar Dosya Resim Hình Tập_tin ファイル 画像 파일 그림 文件 档案 檔案 图像 圖像 "
    "תמונה קובץ ملف صورة پرونده تصویر Εικόνα Αρχείο ചിത്രം चित्र ภาพ ไฟล์ Dosiero Fitxer Imatge Fitxategi Irudi Skrá "
    "Mynd Restr Delwedd Lêer Beeld Imaxe Vaizdas Attēls Pilt Fişier Imagine Картинка Сурет Şəkil Выява",
    CATEGORY: "Kategorie Catégorie Categoría Categoria Categorie Kategori Kategoria Kategorija Kategória "
    "Kategorio Kategoriya Категория Категорія Категорија Катэгорыя Luokka Thể_loại Kategorija カテゴリ 분류 分类 分類 "
    "קטגוריה تصنيف رده Κατηγορία श्रेणी বিষয়শ্রেণী വര്‍ഗ്ഗം หมวดหมู่ Flokkur Kategoría Kateqoriya Санат Կատեգորիա "
    "კატეგორია Rummad Catigoría",
}

# Wikipedia's language codes: [[fr:Titre]] in an article links to its translation and shows nothing.
LANGUAGE_CODES = (
    "aa ab ace ady af ak als alt am ami an ang ann anp ar arc ary arz as ast atj av avk awa ay az azb ba ban bar "
    "bat-smg bbc bcl be be-tarask be-x-old bew bg bh bi bjn blk bm bn bo bpy br bs bug bxr ca cbk-zam cdo ce ceb "
    "ch cho chr chy ckb co cr crh cs csb cu cv cy da dag de dga din diq dsb dty dv dz ee el eml en eo es et eu "
    "ext fa fat ff fi fiu-vro fj fo fon fr frp frr fur fy ga gag gan gcr gd gl glk gn gom gor got gpe gsw gu guc "
    "gur guw gv ha hak haw he hi hif ho hr hsb ht hu hy hyw hz ia id ie ig igl ii ik ilo inh io is it iu ja jam "
    "jbo jv ka kaa kab kbd kbp kcg kg ki kj kk kl km kn knc ko koi kr krc ks ksh ku kv kw ky la lad lb lbe lez "
    "lfn lg li lij lld lmo ln lo lrc lt ltg lv lzh mad mai map-bms mdf mg mh mhr mi min mk ml mn mnw mo mr mrj ms "
    "mt mus mwl my myv mzn na nah nan nap nb nds nds-nl ne new ng nia nl nn no nov nqo nr nrm nso nv ny oc olo om "
    "or os pa pag pam pap pcd pcm pdc pfl pi pih pl pms pnb pnt ps pt pwn qu rm rmy rn ro roa-rup roa-tara ru rue "
    "rup rw sa sah sat sc scn sco sd se sg sgs sh shi shn si simple sk skr sl sm smn sn so sq sr srn ss st stq su "
    "sv sw szl szy ta tay tcy te tet tg th ti tk tl tly tn to tpi tr trv ts tt tum tw ty tyv udm ug uk ur uz ve "
    "vec vep vi vls vo vro wa war wo wuu xal xh xmf yi yo yue za zea zgh zh zh-classical zh-min-nan zh-yue zu"
)

# Codes of MediaWiki's language converter, which writes -{zh-hans:...; zh-hant:...}- for texts in two scripts.
VARIANT_CODES = (
    "zh zh-hans zh-hant zh-cn zh-tw zh-hk zh-mo zh-my zh-sg sr sr-ec sr-el sr-cyrl sr-latn sh-cyrl sh-latn kk kk-arab "
    "kk-cyrl kk-latn kk-cn kk-kz kk-tr ku ku-arab ku-latn iu iu-cans iu-latn shi shi-tfng shi-latn uz uz-cyrl uz-latn "
    "gan gan-hans gan-hant tg tg-latn crh crh-cyrl crh-latn tly tly-cyrl ban ban-bali wuu wuu-hans wuu-hant "
    "en en-x-piglatin"
)
