"""What titles of pages without content say, by kind and language: this project's own list.

A phrase is a whole segment of the title: `Error` of `Internet Archive: Error`.
"""

from __future__ import annotations

from gpucurate.steps.page_signals.kinds import CONSENT, DIRECTORY, LOGIN, NO_SCRIPT, PARKED, SOFT_404, Phrases

TITLES: Phrases = {
    SOFT_404: {
        "any": ("404", "404 error", "error 404", "http 404", "404 not found", "403 forbidden", "410 gone"),
        "en": (
            "error",
            "not found",
            "page error",
            "access denied",
            "500 internal server error",
            "502 bad gateway",
            "503 service unavailable",
            "503 service temporarily unavailable",
        ),
        "de": ("fehler", "nicht gefunden", "fehlerseite", "zugriff verweigert"),
        "fr": ("erreur", "introuvable", "page introuvable", "erreur 404", "accès refusé"),
        "es": ("error 404", "no encontrado", "no encontrada", "acceso denegado"),
        "it": ("errore", "errore 404", "non trovata", "non trovato", "accesso negato"),
        "pt": ("erro", "erro 404", "não encontrado", "não encontrada", "acesso negado"),
        "nl": ("fout", "niet gevonden", "fout 404", "geen toegang"),
        "pl": ("błąd", "błąd 404", "nie znaleziono", "brak dostępu"),
        "ru": ("ошибка", "ошибка 404", "не найдено", "доступ запрещен", "доступ запрещён"),
        "tr": ("hata", "hata 404", "bulunamadı", "404 hatası"),
        "zh": ("404错误", "页面不存在", "找不到页面", "出错了", "找不到網頁", "頁面不存在"),
        "ja": ("エラー", "404エラー", "ページが見つかりません"),
        "ko": ("오류", "404 오류", "페이지를 찾을 수 없습니다"),
        "ar": ("خطأ", "خطأ 404", "الصفحة غير موجودة"),
        "hi": ("त्रुटि", "पृष्ठ नहीं मिला", "पेज नहीं मिला"),
        "th": ("ข้อผิดพลาด", "ไม่พบหน้า", "ไม่พบหน้าที่ต้องการ"),
    },
    PARKED: {
        "en": ("domain for sale", "parked domain", "domain parked", "domain default page", "website coming soon"),
        "de": ("domain zu verkaufen", "domain geparkt"),
        "fr": ("domaine à vendre",),
        "es": ("dominio en venta",),
        "ru": ("домен продается", "домен продаётся", "домен припаркован"),
        "zh": ("域名出售", "域名停放"),
    },
    LOGIN: {
        "en": ("login", "log in", "sign in", "log on", "sign up", "create account", "lost password", "login required"),
        "de": ("anmelden", "einloggen", "passwort vergessen"),
        "fr": ("connexion", "se connecter", "identification", "mot de passe oublié"),
        "es": ("iniciar sesión", "inicio de sesión", "acceso usuarios"),
        "it": ("accedi", "accesso utenti"),
        "pt": ("entrar", "iniciar sessão", "fazer login"),
        "nl": ("inloggen", "aanmelden"),
        "pl": ("zaloguj się", "logowanie"),
        "ru": ("вход", "войти", "авторизация"),
        "tr": ("giriş yap", "üye girişi"),
        "zh": ("登录", "登陆", "用户登录", "登入", "注册"),
        "ja": ("ログイン", "会員登録", "サインイン"),
        "ko": ("로그인", "회원가입"),
        "ar": ("تسجيل الدخول",),
        "hi": ("लॉग इन", "लॉगिन"),
        "th": ("เข้าสู่ระบบ",),
    },
    CONSENT: {"en": ("before you continue", "your privacy choices", "cookie consent", "age verification")},
    NO_SCRIPT: {
        "en": ("javascript required", "javascript is disabled", "just a moment", "attention required!", "please wait"),
    },
    DIRECTORY: {},
}
