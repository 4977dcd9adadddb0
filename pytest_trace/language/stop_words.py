"""Words that carry no content, in the languages we know lists for; elsewhere idf does the work."""

from typing import Final

from pytest_trace.language.word_sets import word_set

_ENGLISH = """
a about above after again all already also am an and any are as at be because been before being
below between both but by can could did do does doing down during each either else even every few
for from further had has have having he he's her here here's hers herself him himself his how i
i'd i'll i'm i've if in into is it it's its itself just least less let's many may me might mine
more most much must my myself of off on once only or other our ours ourselves out over own per
same shall she she's should so some such than that that's the their theirs them themselves then
there there's these they they'll they're they've this those through to too under until up upon us
very via was we we'll we're we've were what what's when where whether which while who whom why
will with within would yet you you'd you'll you're you've your yours yourself yourselves
"""
_GERMAN = """
aber als am an auch auf aus bei bin bis bist da dadurch daher damit dann das dass dein deine dem
den der des dessen deshalb die dies diese dieser dieses doch dort du durch ein eine einem einen
einer eines er es euer eure für hatte hatten hattest hier hinter ich ihr ihre ihrem ihren ihrer im
in ist ja jede jedem jeden jeder jedes kann können man mein meine mit muss müssen nach noch nun
nur ob oder ohne sehr sein seine sich sie sind so soll sollen sondern sowie über um und uns unser
unter vom von vor wann warum was weil wenn wer werden wie wieder wir wird wo wurde wurden zu zum
zur haben hat habe hätte wäre würde mehr beim
"""
_FRENCH = """
à au aux avec ce ces cet cette chez comme d dans de des du elle elles en est et être eu il ils j je
l la le les leur leurs lui m ma mais me même mes moi mon n nos notre nous on ont ou où par pas plus
pour qu que qui quoi s sa sans se ses si son sont sur t ta te tes toi ton tu un une vos votre vous
y été était étaient sera seront peut peuvent avait avaient ai as a avez
"""
_SPANISH = """
a al algo ante con como cual cuando de del desde donde e el ella ellas ellos en entre era eran es
esa esas ese eso esos esta estas este esto estos está están fue fueron ha han hasta hay la las le
les lo los más me mi mis muy nos o para pero por porque que qué quien se ser si sin sobre son su
sus también te tiene tienen tu tus un una uno unos unas y ya yo puede pueden
"""
_ITALIAN = """
a ad agli ai al alla alle allo anche c che chi ci come con cui da dai dal dalla dalle dei del della
delle dello di e è ed era erano essere gli ha hanno ho i il in io l la le lei li lo loro lui ma mi
ne nei nel nella nelle noi o per perché più può possono quale quando quanto quella quelle quelli
quello questa queste questi questo se si sia sono su sua sue sui sul sulla suo suoi ti tra tu un
una uno vi voi stato stata stati
"""
_PORTUGUESE = """
a ao aos as à às com como da das de dela dele do dos e é ela elas ele eles em entre era essa essas
esse esses esta está estão este estes eu foi foram há isso isto já lhe mais mas me mesmo meu minha
muito na nas no nos nós o os ou para pela pelas pelo pelos pode podem por porque qual quando que
quem se sem ser será seu seus são só sua suas também te tem têm um uma umas uns você vocês
"""
_DUTCH = """
aan al als bij dan dat de der deze die dit door een en er had heb hebben heeft het hier hij hoe ik
in is ja je jij jouw kan kunnen maar me meer men met mij mijn moet moeten na naar nog nu of om
omdat onder ons ook op over te ten tot u uit uw van veel voor waar want was wat we wel werd wie wij
wordt worden ze zich zij zijn zo zou zal zullen
"""
_HINDI = """
और का की के को में से पर है हैं था थी थे हो होता होती होते कि जो तो यह ये वह वे इस उस इन उन एक कर करता
करते करना किया गया गई गए ने भी या लिए साथ तक ही अपने अपनी अपना आप हम मैं मेरे आपके आपको इसके उनके
सकते सकता सकती द्वारा
"""
_RUSSIAN = """
а без бы был была были было быть в вам вас ведь весь во вот все всё вы где да для до его ее её если
есть еще ещё же за и из или им их к как ко когда который которая которые кто ли мне мы на над нам
нас но о об он она они оно от по под при с со так также то того тоже только у уже что чтобы эта эти
это этот я
"""
_ARABIC = """
في من على إلى عن أن إن كان كانت هذا هذه ذلك التي الذي ما هو هي هم و أو ثم قد كل مع بعد قبل عند حتى
"""
_CJK = "的了是在和与及也就都而着吗呢吧啊之其於為們這那哪個这个们我你他她它はがのをにでともへやかな"

_NEGATIONS = """
not no never none nothing neither nor without cannot nobody nowhere
nicht kein keine keinen keinem keiner keines nie niemals nichts ohne weder niemand
ne pas jamais aucun aucune rien sans ni
nunca jamás ningún ninguna ninguno nada sin tampoco
non nessun nessuno nessuna niente senza né
não nem nenhum nenhuma sem
niet geen nooit niets zonder
नहीं न मत बिना
не нет ни никогда без
لا لم لن ليس ليست غير بدون
不 没 沒 無 无 未 非 ない ません
"""

_DISCOURSE = """
absolutely according additionally afraid also answer answers apologies apologize article articles
based besides bye called certain certainly clearly conclusion consider context contexts contextual
course dear depend depending depends described different direct directly document documents ensure
exact exactly example examples excerpt excerpts explicit explicitly finally first follow followed
following follows found furthermore general generally given glad happy hello help helps hence hey
hi hope however important include included includes including indicate indicates infer inferred
information key know known lastly let likely list listed make mention mentioned mentions moreover
need needs next note noted ok okay one ones overall paragraph passage passages per please point
points possible potentially provide provided provides providing question questions refer refers
regarding related relevant retrieved said say says second sentence sentences several similarly
sorry source sources specific specifically state stated states step steps suggest suggested
suggests summarize summary sure text texts thank thanks therefore thing things third thus
typically unfortunately use used useful using usually various way ways welcome well yes
folgende folgenden folgendes laut gemäß außerdem zudem daher deshalb bitte gerne danke hallo frage
antwort dokument dokumente dokumenten kontext schritt schritte zusammenfassung zusammenfassend
insgesamt information informationen angaben
suivant suivante suivants suivantes selon également ainsi donc bonjour merci voici question réponse
document documents contexte étape étapes résumé information informations
siguiente siguientes según además también así entonces hola gracias pregunta respuesta documento
documentos contexto paso pasos resumen información
seguente seguenti secondo inoltre anche quindi ciao grazie ecco domanda risposta documento documenti
contesto passo passi riassunto informazioni
seguinte seguintes segundo além também assim então olá obrigado pergunta resposta documento
documentos contexto passo passos resumo informação informações
volgende volgens daarnaast ook dus hallo bedankt vraag antwoord document documenten context stap
stappen samenvatting informatie
अनुसार निम्नलिखित नमस्ते धन्यवाद प्रश्न उत्तर दस्तावेज़ संदर्भ जानकारी
"""

NEGATIONS: Final[frozenset[str]] = word_set(_NEGATIONS)
"""Words that negate. Some are stop words of another language ("no" is "in the" in Portuguese)."""

STOP_WORDS: Final[frozenset[str]] = (
    frozenset(
        word
        for listed in (
            _ENGLISH,
            _GERMAN,
            _FRENCH,
            _SPANISH,
            _ITALIAN,
            _PORTUGUESE,
            _DUTCH,
            _HINDI,
            _RUSSIAN,
            _ARABIC,
        )
        for word in listed.split()
    )
    | frozenset(_CJK)
    | NEGATIONS
)

DISCOURSE: Final[frozenset[str]] = word_set(_DISCOURSE)
"""Words by which a response speaks of itself, its documents or its reader: they claim nothing."""
